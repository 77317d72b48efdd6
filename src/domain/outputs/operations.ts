import * as z from 'zod/mini'
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { isOutputName, parseOutputs } from '../../kernel/text/output-grammar.ts'
import type { StepsSlice } from '../steps/events.ts'
import { outputOf, outputsOf } from './outputs.ts'
import { exported } from './views.ts'

const attempt = z.object({ key: z.string(), token: z.int() })

interface Import {
  readonly text?: string | undefined
  readonly values?: Readonly<Record<string, string>> | undefined
  readonly prefix?: string | undefined
  readonly step?: { readonly key: string; readonly token: number } | undefined
}

export const outputsOperations = [
  writeOperation({
    name: 'output.set',
    summary: 'Set a named value',
    input: () => z.object({ name: z.string(), value: z.string() }),
    positional: ['name', 'value'],
    decide: (state, { name, value }) => {
      if (!isOutputName(name)) return badName(name)
      return outputOf(state, name) === value ? accept() : accept({ type: 'output.set', data: { name, value } })
    },
  }),
  writeOperation({
    name: 'output.import',
    summary: 'Set many named values from text in the grammar of $GITHUB_OUTPUT',
    input: () =>
      z.object({
        text: z.optional(z.string()),
        values: z.optional(z.record(z.string(), z.string())),
        prefix: z.optional(z.string()),
        step: z.optional(attempt),
      }),
    positional: ['text'],
    decide: importAll,
  }),
  readOperation({
    name: 'output.get',
    summary: 'A named value',
    input: () => z.object({ name: z.string() }),
    positional: ['name'],
    read: (state, { name }) => {
      const value = outputOf(state, name)
      if (value === undefined)
        throw new EngineError('OUTPUT_NOT_FOUND', `no output "${name}"`, { hint: 'steadfold output list' })
      return value
    },
  }),
  readOperation({
    name: 'output.list',
    summary: 'All named values, sorted by name',
    input: () => z.object({ prefix: z._default(z.string(), '') }),
    read: (state, { prefix }) => sorted(state, prefix).map(([name, value]) => ({ name, value })),
  }),
  readOperation({
    name: 'output.export',
    summary: 'Named values as text for a shell or a file; names that steer programs are left out',
    input: () =>
      z.object({
        format: z._default(z.enum(['sh', 'dotenv', 'github', 'json']), 'sh'),
        prefix: z._default(z.string(), ''),
      }),
    read: (state, { format, prefix }) => exported(sorted(state, prefix), format),
  }),
]

function sorted(state: Readonly<Tree>, prefix: string): readonly (readonly [name: string, value: string])[] {
  return Object.entries(outputsOf(state))
    .filter(([name]) => name.startsWith(prefix))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function importAll(state: Readonly<Tree>, { text, values, prefix = '', step }: Import) {
  const stale = step === undefined ? undefined : staleAttempt(state, step)
  if (stale !== undefined) return stale
  const given = [...parseOutputs(text ?? ''), ...Object.entries(values ?? {}).map(([name, value]) => ({ name, value }))]
  const named = given.map(({ name, value }) => [`${prefix}${name}`, value] as const)
  const bad = named.find(([name]) => !isOutputName(name))
  if (bad !== undefined) return badName(bad[0])
  const changed = named.filter(([name, value]) => outputOf(state, name) !== value)
  return changed.length === 0
    ? accept()
    : accept({ type: 'output.imported', data: { values: Object.fromEntries(changed), step: step ?? null } })
}

/** O3. */
function staleAttempt(
  state: Readonly<Tree>,
  { key, token }: { readonly key: string; readonly token: number },
): Refusal | undefined {
  const ledger = sliceOf<StepsSlice>(state, 'steps')?.ledger ?? {}
  const record = Object.hasOwn(ledger, key) ? ledger[key] : undefined
  if (record?.status === 'running' && record.attempt?.token === token) return undefined
  return refuse('LEASE_LOST', `attempt ${token} of step "${record?.name ?? key}" is over; its outputs do not count`, {
    hint: 'drop them',
  })
}

function badName(name: string): Refusal {
  return refuse('OUTPUT_INVALID', `${JSON.stringify(name.slice(0, 80))} is no name for an output`, {
    hint: 'a name is made of A-Z a-z 0-9 _ . - and begins with a letter or _',
  })
}
