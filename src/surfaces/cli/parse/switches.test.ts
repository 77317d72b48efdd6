/* What stays on once somebody said so can be switched off by the same command. */
import { expect, test } from 'vitest'
import { operations } from '../../../compose/operations.ts'
import type { App } from '../context/app.ts'
import { makeTable } from '../table/commands.ts'
import { parseCold } from './cold.ts'
import { parseHot } from './hot.ts'

// Lines are only parsed; nothing that a command would run is asked for.
const table = makeTable({ operations } as unknown as App)
const all = await table.all()

test.each([
  ['session configure', 'auto_cleanup'],
  ['chat configure', 'advisory'],
  ['team add x', 'auto_scaling'],
  ['team set x', 'require_approval'],
  ['turn join x a', 'can_interrupt'],
])('%s switches %s off as well as on', async (line, field) => {
  const flag = field.replaceAll('_', '-')
  const [on, off] = [`--${flag}`, `--no-${flag}`]
  for (const [words, is] of [
    [[on], true],
    [[off], false],
    [[off, on], true],
    [[on, off], false],
  ] as const) {
    const argv = [...line.split(' '), ...words]
    expect((await parseCold(table, argv)).input).toMatchObject({ [field]: is })
    expect(parseHot(all, argv)?.input).toMatchObject({ [field]: is })
  }
})
