/* What comes with a request beside its input: it goes into the log as it is, so it is checked like the input. */
import { actor, flag, misfit, namesOf, point, seq, type Rule } from '../arguments.ts'
import { refuse, type Refusal } from '../decision.ts'
import type { Kernel } from '../kernel.ts'
import type { RunOptions } from './answer.ts'

const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed()
const text: Rule = { fits: isText, must: 'must be text without halves of a surrogate pair' }
const named: Rule = { fits: (value) => value !== '' && isText(value), must: 'must be text, and not empty' }

const RULES: Readonly<Record<keyof RunOptions, Rule>> = {
  key: named,
  actor,
  ifSeq: seq,
  at: point,
  cause: { fits: (value) => value === null || (value !== '' && isText(value)), must: 'must be the id of a commit' },
  reason: text,
  durability: {
    fits: (value) => value === 'durable' || value === 'relaxed',
    must: 'must be "durable" or "relaxed"',
  },
  dryRun: flag,
}

/** What is wrong with them. */
export function wrongOptions(operation: string, options: unknown): Refusal | undefined {
  const why = misfit(options, RULES)
  return why === undefined ? undefined : refuse('INPUT_INVALID', `${operation}: ${why}`, { hint: namesOf(RULES) })
}

/** A point in time is for reads: what is written now is not written then. */
export const intoThePast = (operation: string): Refusal =>
  refuse('INPUT_INVALID', `${operation} writes, and the past stays as it is`, { hint: 'leave at out' })

/** Somebody wrote since. */
export const stale = (ifSeq: number, seq: number): Refusal =>
  refuse('CONFLICT', `expected seq ${ifSeq}, but the session stands at ${seq}`, {
    hint: 'read the state again, then decide again',
    details: { expected: ifSeq, seq },
  })

/** A key must tell apart what it told apart before: of a secret one, its hash is kept. */
export function keyed(options: RunOptions, { redactor, host }: Kernel): RunOptions {
  const { key } = options
  if (key === undefined || redactor?.suspects(key) !== true) return options
  return redactor.findings(key).length === 0 ? options : { ...options, key: `redacted:${host.sha256(key)}` }
}
