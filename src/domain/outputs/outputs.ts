/*
 * Named values handed on between shells and steps, as `name` or `<step>.<name>`.
 *
 * O1. A value is text, and is stored byte for byte.
 * O2. An import is taken whole or refused whole.
 * O3. Outputs of a step come only from its running attempt: a stale worker's are refused.
 * O4. What would change how programs are found or loaded is never exported into a shell.
 * O5. Outputs of a step are those of the work that it did last.
 */
import { defineModule, sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { OutputsEvent } from './events.ts'

/** Name -> value. */
export type OutputsSlice = Record<string, string>

export const outputsModule = defineModule<OutputsSlice, OutputsEvent>({
  slice: 'outputs',
  initial: () => ({}),
  evolve: {
    'output.set': (slice, { name, value }, edit) => edit.set(slice, name, value),
    'output.imported': (slice, { values }, edit) => {
      for (const [name, value] of Object.entries(values)) edit.set(slice, name, value)
    },
    'output.removed': (slice, { names }, edit) => {
      for (const name of names) edit.remove(slice, name)
    },
  },
})

export const outputsOf = (root: Readonly<Tree>): Readonly<OutputsSlice> => sliceOf<OutputsSlice>(root, 'outputs') ?? {}

export function outputOf(root: Readonly<Tree>, name: string): string | undefined {
  const values = outputsOf(root)
  return Object.hasOwn(values, name) ? values[name] : undefined
}
