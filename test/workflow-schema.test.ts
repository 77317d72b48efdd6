/* The published JSON Schema and the schema that reads workflow files are one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDefinition } from '../src/domain/workflow/parse.ts'
import { workflowJsonSchema } from '../src/domain/workflow/schema.ts'

const file = join(import.meta.dirname, '..', 'schemas', 'workflow.v1.json')
const made = `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`

/** SCHEMAS=write makes the file anew; `npm run format` lays it out. */
if (process.env['SCHEMAS'] === 'write') writeFileSync(file, made)

test('schemas/workflow.v1.json is what the types come from', () => {
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(made))
})

interface Shape {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>
  readonly additionalProperties: boolean
}
// The parts of the schema that this test looks at.
const schema = JSON.parse(made) as Shape & { readonly $defs: { readonly state: Shape; readonly step: Shape } }

test('every member has words, and no other member is taken', () => {
  for (const { properties, additionalProperties } of [schema, schema.$defs.state, schema.$defs.step]) {
    expect(additionalProperties).toBe(false)
    for (const [name, { description }] of Object.entries(properties)) expect(description, name).toBeTypeOf('string')
  }
})

/** One value that is right, and one that is wrong, for each member. */
const STEP: Readonly<Record<string, readonly [right: unknown, wrong: unknown]>> = {
  run: [['node', 'x.mjs'], []],
  needs: ['first', 7],
  stage: ['one', ''],
  timeout: ['1m', 'soon'],
  timeout_ms: [5, 0],
  retries: [3, -1],
  inputs: ['src/*.ts', '../x'],
  files: ['src/*.ts', '../x'],
  report: ['out/report.md', '../x'],
  env: [{ A: 1 }, { 'A B': '1' }],
  reads: [{ A: 'first.x' }, { A: '' }],
  artifacts: [['x.json'], ['/x']],
  repeatable: [true, 'yes'],
  cost_hint: ['3s', {}],
  cost_hint_ms: [0, -1],
}
const STATE: typeof STEP = {
  mode: ['waves', 'other'],
  max_parallel: [4, 0],
  min_success: [0.5, 2],
  next: ['b', [1]],
  on_failure: ['b', null],
  approval: [true, 'yes'],
  handler: [{ run: 'x' }, 'absent'],
  timeout: [30, -1],
  retries: [2, 101],
  steps: [{ s: { run: 'x' } }, { s: {} }],
}
const WORKFLOW: typeof STEP = {
  name: ['x', 'a b'],
  goal: [null, 1],
  initial: ['a', ''],
  terminal: ['b', ''],
  scopes: [{ 'a-only': 'a' }, { a: 1 }],
  scope_rules: [[{ name: 'r', scope: 's', any: ['x'] }], [{ name: 'r', scope: 's', any: [] }]],
  advisory: [true, 'yes'],
  retry_limit: [0, -1],
  handlers: [{ h: { run: 'x' } }, { h: {} }],
  states: [{ a: null, b: {} }, {}],
}

const within: readonly (readonly [string, Shape, typeof STEP, (members: object) => unknown])[] = [
  ['the workflow', schema, WORKFLOW, (members) => ({ states: { a: {}, b: {} }, ...members })],
  ['a state', schema.$defs.state, STATE, (members) => ({ states: { a: members, b: {} } })],
  [
    'a step',
    schema.$defs.step,
    STEP,
    (members) => ({ states: { a: { steps: { s: { run: 'x', ...members } } }, b: {} } }),
  ],
]

test.each(within)(
  'each member that is published for %s is read, and what is wrong is refused',
  (_, shape, table, file) => {
    expect(Object.keys(table).toSorted()).toEqual(Object.keys(shape.properties).toSorted())
    for (const [name, [right, wrong]] of Object.entries(table)) {
      expect(parseDefinition(file({ [name]: right })).ok, name).toBe(true)
      expect(parseDefinition(file({ [name]: wrong })).ok, name).toBe(false)
    }
  },
)
