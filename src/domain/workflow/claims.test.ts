import { expect, test } from 'vitest'
import { examine } from './views.ts'

const step = (files: readonly string[] | string, more: object = {}) => ({ run: 'true', files, ...more })
const errors = (state: object) =>
  examine({ states: { build: state, end: {} } }).report.flatMap(({ severity, path, message }) =>
    severity === 'error' ? [`${path.join('.')}: ${message}`] : [],
  )

test('W7 two steps that may run at the same time and claim one file are refused, with both names', () => {
  const [said = '', ...more] = errors({ mode: 'waves', steps: { a: step('src/*.ts'), b: step(['x', 'src/b.ts']) } })
  expect(more).toEqual([])
  expect(said).toMatch(/^states\.build\.steps\.b\.files: steps "a" and "b" .* "src\/\*\.ts" and "src\/b\.ts"/)
})

test('W7 a step that needs the other, other files, and another stage are fine', () => {
  expect(errors({ steps: { a: step('src'), b: step('src/b.ts', { needs: 'a' }) } })).toEqual([])
  expect(errors({ steps: { a: step('src'), b: step('test') } })).toEqual([])
  const staged = { a: step('src', { stage: 'one' }), b: step('src', { stage: 'two' }) }
  expect(errors({ mode: 'stages', steps: staged })).toEqual([])
  expect(errors({ mode: 'parallel', steps: staged })).toHaveLength(1)
})

test('W4 claims and reports are read as themselves', () => {
  const { definition } = examine({ states: { build: { steps: { a: step('src', { report: 'a.md' }) } } } })
  expect(definition?.states['build']?.steps['a']).toMatchObject({ files: ['src'], report: 'a.md' })
  expect(examine(definition).definition).toEqual(definition)
})
