/*
 * C1. Every field, enum, pattern and bound of the document of version 2.0.0 is in the schema of version 3; where that
 *     differs, it is told here.
 * C2. What a session answers with validates as a document of version 2.0.0.
 */
import { expect, test } from 'vitest'
import { sessionStateJsonSchema } from '../../src/state-schema.ts'
import { differences } from './compare.ts'
import { lived } from './lived.ts'
import { DOCUMENT, PARTS } from './v2-fields.ts'
import { v2Schema } from './v2-schema.ts'
import { validator } from './validators.ts'

/** Difference -> why it is one. */
const WHY: Readonly<Record<string, string>> = {
  '$.session.id: format is undefined': 'whoever begins a session may choose its id; one that is made is a UUID',
  '$.session.lifecycle.status: has also recovering': 'a session that is recovering said it was none of the others',
  '$.communication.message_queues: names are free, not ^[a-z][a-z0-9-]*$': 'people and tools have queues, too',
}

test('C1 the list has six sections, 17 parts and 194 fields', () => {
  const counts = Object.values(PARTS).map((fields) => Object.keys(fields).length)
  expect(new Set(Object.keys(DOCUMENT).map((path) => path.split('!')[0])).size).toBe(6)
  expect([Object.keys(PARTS).length, counts.reduce((a, b) => a + b, Object.keys(DOCUMENT).length)]).toEqual([17, 194])
})

test.each(['2020-12', 'draft-07'] as const)('C1 the schema (%s) covers all of it', (draft) => {
  expect(differences(v2Schema(), sessionStateJsonSchema({ draft }))).toEqual(Object.keys(WHY))
})

test('C1 what is missing, wider or narrower is told', () => {
  const needed = { type: 'object', required: ['a'] }
  const older = { ...needed, properties: { a: { type: 'integer', minimum: 1, maximum: 5 } } }
  const said = (a: object) => differences(older, { ...needed, properties: { a } })
  expect(said({ type: 'integer', minimum: 2, maximum: 5 })).toEqual([])
  expect(said({ type: 'integer', minimum: 0, maximum: 9 })).toEqual(['$.a: may be below 1', '$.a: may be above 5'])
  expect(said({ anyOf: [older.properties.a, { type: 'null' }] })).toEqual(['$.a: may be null'])
  expect(said({ type: 'string' })).toContain('$.a: is never integer')
  expect(differences(older, { type: 'object', properties: {} })).toEqual(['$: a may be left out', '$.a: is not there'])
  const words = { type: 'string', enum: ['x', 'y'], pattern: '^x$' }
  const others = ['$: has no x', '$: has also z', '$: pattern is undefined']
  expect(differences(words, { type: 'string', enum: ['y', 'z'] })).toEqual(others)
})

test('C2 a session validates as a document of version 2.0.0', async () => {
  const wrongWith = validator(v2Schema())
  const session = await lived()
  expect(wrongWith(await session.get())).toEqual([])
  expect(wrongWith({})).toHaveLength(6)
})
