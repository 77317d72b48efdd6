/* The published schemas of the document, its type, and what sessions really answer with are one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionStateJsonSchema, type Draft } from '../../src/state-schema.ts'

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
