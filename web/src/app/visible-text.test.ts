import { h, options } from 'preact'
import { expect, test } from 'vitest'
import { keepTextVisible, visible } from './visible-text.ts'

test('what turns text around is shown as what it is', () => {
  expect(visible('\u202Elive')).toBe('\\u202elive')
  expect(visible('a\u2066b\u2069c\u200F')).toBe('a\\u2066b\\u2069c\\u200f')
})

test('what is not seen is shown as what it is', () => {
  expect(visible('\u001B[31mred\u001B[0m')).toBe('\\e[31mred\\e[0m')
  expect(visible('a\u0000\u0008\u007F\u009Bb')).toBe('a\\u0000\\u0008\\u007f\\u009bb')
  expect(visible('no\rrm -rf')).toBe('no\\rrm -rf')
  expect(visible('src/\u200Bauth\u2060\uFEFF\u00AD')).toBe('src/\\u200bauth\\u2060\\ufeff\\u00ad')
})

test('tags, which say to programs what nobody sees, are shown as what they are, but for those of flags', () => {
  expect(visible('ok\u{E0001}\u{E0068}\u{E0069}\u{E007F}')).toBe('ok\\u{e0001}\\u{e0068}\\u{e0069}\\u{e007f}')
  const england = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'
  expect(visible(`${england}!`)).toBe(`${england}!`)
  expect(visible('\u{1F3F4}\u{E0068}\u{E0069}')).toBe('\u{1F3F4}\\u{e0068}\\u{e0069}')
})

test('other text stays as it is, whatever its script', () => {
  for (const text of ['plain', 'שלום', 'مرحبا', 'می\u200Cخواهم', '👩‍💻', '“quotes” – and … more', 'a\r\n\tb\n'])
    expect(visible(text)).toBe(text)
})

test('all text shows it, wherever it stands, and what elements are called', () => {
  keepTextVisible()
  expect(h('p', { title: '\u202Ea' }).props).toMatchObject({ title: '\\u202ea' })
  // As it is drawn, also within a fragment or a component.
  const text = { type: null, props: 'by \u202Eb' }
  options.vnode?.(text as never)
  expect(text.props).toBe('by \\u202eb')
})
