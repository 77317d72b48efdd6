import { h } from 'preact'
import { expect, test } from 'vitest'
import { keepTextVisible, visible } from './visible-text.ts'

test('what turns text around is shown as what it is', () => {
  expect(visible('\u202Elive')).toBe('\\u202elive')
  expect(visible('a\u2066b\u2069c\u200F')).toBe('a\\u2066b\\u2069c\\u200f')
})

test('other text stays as it is, whatever its script', () => {
  for (const text of ['plain', 'שלום', 'مرحبا', '👩‍💻', '“quotes” – and … more']) expect(visible(text)).toBe(text)
})

test('every element shows it, in its text and in what it is called', () => {
  keepTextVisible()
  const { props } = h('p', { title: '\u202Ea' }, 'by ', '\u202Eb', 3)
  expect(props).toMatchObject({ title: '\\u202ea', children: ['by ', '\\u202eb', 3] })
})
