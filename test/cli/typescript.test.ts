/* Workflow files in TypeScript, on every Node there is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
})
afterAll(() => place.remove())

test('a workflow in TypeScript gives its default export, with what it imports', () => {
  place.file('word.ts', `export const word: string = 'echo b'\n`)
  place.file(
    'typed.workflow.ts',
    `import { word } from './word.ts'
interface Step { readonly run: string; readonly needs?: readonly string[] }
const step = (run: string, ...needs: string[]): Step => ({ run, needs })
export default { name: 'typed' as const, states: { work: { steps: { a: step('true'), b: step(word satisfies string, 'a') } } } }
`,
  )
  expect(place.data('workflow', 'validate', 'typed.workflow.ts')).toMatchObject({ states: 1, steps: 2 })
})

test('one that cannot be read says where, and exits 4', () => {
  place.file('broken.workflow.ts', 'export default { name: \n')
  const { status, out } = place.run('workflow', 'validate', 'broken.workflow.ts', '--json')
  expect(status).toBe(4)
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'WORKFLOW_INVALID' } })
})
