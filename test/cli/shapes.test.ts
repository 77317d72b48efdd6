/* What the build writes down of the inputs of operations is what their schemas say. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { operations } from '../../src/compose/operations.ts'
import type { App } from '../../src/surfaces/cli/context/app.ts'
import { flagsOf } from '../../src/surfaces/cli/syntax/flags.ts'
import { makeTable } from '../../src/surfaces/cli/table/commands.ts'
import { PROGRAM } from './binary.ts'

interface Told {
  readonly name: string
  readonly parameters: readonly object[]
  readonly flags: readonly object[]
}

test('every command takes the same in the program as in the sources', async () => {
  const text = execFileSync(process.execPath, [PROGRAM, 'help', '--json'], { encoding: 'utf8' })
  const { data } = JSON.parse(text) as { readonly data: readonly Told[] }
  const told = new Map(data.map((command) => [command.name, command]))
  // The table is only listed; nothing that a command would run is asked for.
  const table = makeTable({ operations } as unknown as App)
  const shown = (await table.all()).filter(({ hidden }) => hidden !== true)
  expect([...told.keys()].toSorted()).toEqual(shown.map(({ name }) => name).toSorted())
  for (const command of shown) {
    const there = told.get(command.name)
    expect(there?.parameters, command.name).toMatchObject(
      command.parameters.map(({ name, field, type, required, summary }) => ({ name, field, type, required, summary })),
    )
    expect(there?.flags, command.name).toMatchObject(
      flagsOf(command).map(({ name, type, choices = null, repeat = false, summary }) => ({
        name,
        type,
        choices,
        repeat,
        summary,
      })),
    )
  }
})
