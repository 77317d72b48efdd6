/* Who looks for changes is spared the indexes: all of them, and nothing else. */
import { expect, test } from 'vitest'
import { isIndex } from '../../src/compose/indexes.ts'
import { sessionStateJsonSchema } from '../../src/state-schema.ts'

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
}
const schema = sessionStateJsonSchema({ draft: '2020-12' }) as unknown as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>
}

/** Every place where a heap stands, as a path with a key of its own for each map. */
function heapsIn(part: Schema, path: readonly string[], within: readonly string[]): readonly (readonly string[])[] {
  const name = part.$ref?.replace('#/$defs/', '')
  if (name === 'heap') return [path]
  if (name !== undefined) {
    const meant = schema.$defs[name]
    return within.includes(name) || meant === undefined ? [] : heapsIn(meant, path, [...within, name])
  }
  const { properties = {}, additionalProperties: rest, anyOf = [] } = part
  return [
    ...Object.entries(properties).flatMap(([key, member]) => heapsIn(member, [...path, key], within)),
    ...(typeof rest === 'object' ? heapsIn(rest, [...path, 'any'], within) : []),
    ...anyOf.flatMap((each) => heapsIn(each, path, within)),
  ]
}

test('every heap of the document is known as an index', () => {
  const heaps = heapsIn(schema, [], [])
  expect(heaps.length).toBeGreaterThan(6)
  expect(heaps.filter((path) => !isIndex(path))).toEqual([])
})

test('what people write and wait for is none', () => {
  for (const path of [
    'data.execution.task_index',
    'execution.tasks.task-1',
    'communication.messages.inboxes.a.deliveries',
  ])
    expect(isIndex(path.split('.'))).toBe(false)
  expect(isIndex(['communication', 'messages', 'inboxes'])).toBe(false)
})
