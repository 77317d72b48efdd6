import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES, exitStatus, httpStatus } from '../src/kernel/error.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8')
const headings = [...page.matchAll(/^#{2,} `?([A-Z][A-Z0-9_]+)`?$/gm)].flatMap(([, code]) => code ?? [])

test('docs/errors.md has one heading for every code, and no other', () => {
  expect(headings.toSorted()).toEqual([...ERROR_CODES].toSorted())
})

test('docs/errors.md says something under every code', () => {
  const sections = page.split(/^#{2,} /m).filter((section) => /^`?[A-Z][A-Z0-9_]+`?\n/.test(section))
  expect(sections.filter((section) => section.split('\n').slice(1).join('').trim() === '')).toEqual([])
})

test('docs/errors.md gives the exit and HTTP status of every code', () => {
  for (const code of ERROR_CODES)
    expect(page).toContain(`## ${code}\n\nExit ${exitStatus(code)}, HTTP ${httpStatus(code)}.`)
})

test('every code is one that the program gives', () => {
  const src = join(import.meta.dirname, '..', 'src')
  const files = (readdirSync(src, { recursive: true }) as string[]).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== join('kernel', 'error.ts'),
  )
  const text = files.map((file) => readFileSync(join(src, file), 'utf8')).join('\n')
  expect(ERROR_CODES.filter((code) => !text.includes(`'${code}'`))).toEqual([])
})
