/** Typed input into what a command wants. */
import { EngineError } from '../../../kernel/error.ts'
import type { RunOptions } from '../../../kernel/operation/answer.ts'

/** Typed values of parameters and flags by field. */
export type Input = Readonly<Record<string, unknown>>

export function usage(message: string, hint?: string): EngineError {
  return new EngineError('USAGE', message, hint === undefined ? {} : { hint })
}

export const textOf = (input: Input, field: string): string | undefined => {
  const value = input[field]
  return typeof value === 'string' ? value : undefined
}

export const numberOf = (input: Input, field: string): number | undefined => {
  const value = input[field]
  return typeof value === 'number' ? value : undefined
}

/** Of a command that is run: without any time it would be stopped before it did anything. */
export function timeoutOf(input: Input): number | undefined {
  const ms = numberOf(input, 'timeout')
  if (ms !== undefined && !(ms > 0)) throw usage('--timeout takes a time above 0')
  return ms
}

/** How many of the last ones. */
export const countOf = (input: Input): number | undefined => wholeOf(input, 'count', '-n/--count')

/** `flag`: as it was typed. */
export function wholeOf(input: Input, field: string, flag: string): number | undefined {
  const number = numberOf(input, field)
  if (number === undefined || (Number.isInteger(number) && number >= 0)) return number
  throw usage(`${flag} takes a whole number, not ${number}`)
}

/** --key: as of a variable that is not set it would be no key at all. */
export function keyOf(input: Input): string | undefined {
  const key = textOf(input, '--key')
  if (key === '') throw usage('--key takes text that is not empty')
  return key
}

/** What is said of one commit cannot be said of the many that waiting may take. */
export function assertNotWaiting({ ifSeq, key, dryRun }: RunOptions): void {
  if (ifSeq === undefined && key === undefined && dryRun !== true) return
  throw usage('--if-seq, --key and --dry-run are for one commit; --wait may make several', 'leave --wait out')
}

export const isOn = (input: Input, field: string): boolean => input[field] === true

export function listOf(input: Input, field: string): readonly string[] {
  const value = input[field]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? [value] : []
}

/** For parameters that are required: the parser has seen to it. */
export const needed = (input: Input, field: string): string => textOf(input, field) ?? ''
