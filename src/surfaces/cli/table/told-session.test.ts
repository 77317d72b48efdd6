import { expect, test } from 'vitest'
import { operations } from '../../../compose/operations.ts'
import { kept } from '../../../kernel/text/kept.ts'
import type { App } from '../context/app.ts'
import { makeTable } from './commands.ts'

const given = { dir: '/w x', session: 'b' }

/** Their session is one that they make, move or are told of by others; no hint names them without it. */
const APART = /^(?:bundle|import|mcp|push|session|shell|hook|statusline|teleport)\b/

test('every command that acts on the chosen session is told with it, and no other', async () => {
  const table = makeTable({ operations } as unknown as App)
  for (const { name, shares } of (await table.all()).filter((each) => !APART.test(each.name)))
    expect([name, kept(`steadfold ${name}`, given).includes('--session b')]).toEqual([name, shares.includes('session')])
})
