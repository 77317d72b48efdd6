/* The published schemas of the document, its type, and what sessions really answer with are one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { graft } from '../../src/kernel/document/view.ts'
import type { Tree } from '../../src/kernel/state/module.ts'
import { sessionStateJsonSchema, type Draft } from '../../src/state-schema.ts'
import { lived } from './lived.ts'
import { validator } from './validators.ts'

const FILES: readonly (readonly [file: string, draft: Draft])[] = [
  ['session-state.v3.json', '2020-12'],
  ['session-state.v3.draft-07.json', 'draft-07'],
]
const pathOf = (file: string): string => join(import.meta.dirname, '../../schemas', file)

/** SCHEMAS=write makes the files anew; `npm run format` lays them out. */
if (process.env['SCHEMAS'] === 'write') {
  for (const [file, draft] of FILES)
    writeFileSync(pathOf(file), `${JSON.stringify(sessionStateJsonSchema({ draft }), null, 2)}\n`)
}

test.each(FILES)('schemas/%s is what the types come from', (file, draft) => {
  expect(JSON.parse(readFileSync(pathOf(file), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(sessionStateJsonSchema({ draft }))),
  )
})

/** A path of the document, a value that is wrong there, and what is said about it. */
const WRONG: readonly (readonly [path: string, value: unknown, said: string])[] = [
  ['session.mode', 'other', 'allowed values'],
  ['session.created_at', 'yesterday', 'date-time'],
  ['session.user_context.user_preferences', { max_parallel_agents: 11 }, '<= 10'],
  ['organization.teams.Core', { name: 'x', orchestrator: 'y', members: [] }, 'pattern'],
  ['execution.tasks.x-1', {}, 'pattern'],
  ['execution.agents.active.a.health.performance_score', 1.1, '<= 1'],
  ['communication.channels.broadcast', {}, 'array'],
  ['observability.health.system_status', 'fine', 'allowed values'],
  ['persistence.checkpoint.hash', 'ABC', 'pattern'],
]

test.each(FILES)('schemas/%s takes a document, and what is wrong with one is told', async (file, draft) => {
  // A schema is an object.
  const wrongWith = validator(
    JSON.parse(readFileSync(pathOf(file), 'utf8')) as Readonly<Record<string, unknown>>,
    draft,
  )
  const session = await lived()
  const document = JSON.parse(JSON.stringify(await session.get())) as Tree
  expect(wrongWith(document)).toEqual([])
  expect(wrongWith({ ...document, later: 'a section of a later version' })).toEqual([])
  for (const [path, value, said] of WRONG) {
    const wrong = graft(document, path.split('.'), value)
    expect(wrongWith(wrong).join(), path).toContain(said)
  }
  for (const section of Object.keys(document)) expect(wrongWith(graft(document, [section], undefined))).toHaveLength(1)
})
