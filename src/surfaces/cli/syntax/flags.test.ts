import { expect, test } from 'vitest'
import { operations } from '../../../compose/operations.ts'
import type { App } from '../context/app.ts'
import { makeTable } from '../table/commands.ts'
import { flagsOf } from './flags.ts'

// The table is only listed; nothing that a command would run is asked for.
const table = makeTable({ operations } as unknown as App)

test('F1 no word and no flag of a command is kept under the name of a shared flag', async () => {
  const shared = new Set(
    flagsOf({ flags: [], shares: ['session', 'at', 'begin', 'write'] }).map(({ field, name }) => {
      expect(field).toBe(`--${name}`)
      return field
    }),
  )
  const mixed = (await table.all()).flatMap(({ name, parameters, flags }) => {
    const own = [
      ...parameters.map(({ field }) => field),
      ...flags.filter((flag) => flag.field !== `--${flag.name}` && flag.off !== true).map(({ field }) => field),
    ]
    const twice = own.filter((field, i) => own.indexOf(field) < i)
    return [...own.filter((field) => shared.has(field)), ...twice].map((field) => `${name}: ${field}`)
  })
  expect(mixed).toEqual([])
})
