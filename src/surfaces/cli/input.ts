/** Words into typed input, and typed input into what a command wants. Both parsers end here. */
import { EngineError } from '../../kernel/error.ts'
import type { Command, Flag, Input, Parameter, ValueType } from './command.ts'
import { flagsOf } from './flags.ts'

export interface Words {
  readonly positionals: readonly string[]
  /** By flag name; a flag that repeats has a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
  /** Behind `--`, for commands that take one. */
  readonly command?: readonly string[]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function usage(message: string, hint?: string): EngineError {
  return new EngineError('USAGE', message, hint === undefined ? {} : { hint })
}

/** Throws USAGE where the words do not fit the command. */
export function inputOf(command: Pick<Command, 'name' | 'parameters' | 'flags' | 'shares'>, words: Words): Input {
  const input: Record<string, unknown> = {}
  placePositionals(command, words.positionals, input)
  for (const flag of flagsOf(command)) {
    const given = words.flags[flag.name]
    if (given !== undefined) input[flag.field] = flagValue(flag, given)
  }
  if (words.command !== undefined) input['command'] = words.command
  return input
}

function placePositionals(
  { name, parameters }: Pick<Command, 'name' | 'parameters'>,
  words: readonly string[],
  input: Record<string, unknown>,
): void {
  let next = 0
  for (const parameter of parameters) {
    const taken = words.slice(next, parameter.rest === true ? undefined : next + 1)
    next += taken.length
    if (taken.length === 0 && parameter.required)
      throw usage(`${parameter.name} is missing`, `steadfold ${name} --help`)
    const values = taken.map((word) => convert(parameter, parameter.name, word))
    if (taken.length > 0) input[parameter.field] = parameter.rest === true ? values : values[0]
  }
  const extra = words[next]
  if (extra !== undefined)
    throw usage(`"${extra}" is one word too many`, 'quote values that hold spaces; steadfold ' + `${name} --help`)
}

function flagValue(flag: Flag, given: string | boolean | readonly (string | boolean)[]): unknown {
  if (typeof given === 'boolean') return given
  if (typeof given === 'string') return convert(flag, said(flag), given)
  return given.map((each) => convert(flag, said(flag), String(each)))
}

/** With its letter, which may be what was typed. */
const said = ({ name, short }: Flag): string => (short === undefined ? `--${name}` : `-${short}/--${name}`)

function convert({ type, choices }: Pick<Parameter, 'type' | 'choices'>, name: string, word: string): unknown {
  if (choices !== undefined && !choices.includes(word)) {
    throw usage(`${name} cannot be "${word}"`, `one of ${choices.join(', ')}`)
  }
  return CONVERT[type](word, name)
}

const CONVERT: Readonly<Record<ValueType, (word: string, name: string) => unknown>> = {
  text: (word) => word,
  // Read later: it may be a file, or stdin.
  value: (word) => word,
  boolean: (word) => word !== 'false',
  number: toNumber,
  duration: toMilliseconds,
}

function toNumber(word: string, name: string): number {
  if (/^-?\d+(\.\d+)?$/.test(word) && Number.isSafeInteger(Math.trunc(Number(word)))) return Number(word)
  throw usage(`${name} takes a number, not "${word}"`)
}

function toMilliseconds(word: string, name: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(word) ?? []
  if (amount === undefined) throw usage(`${name} takes a time such as 500ms, 30s, 5m or 2h, not "${word}"`)
  return Number(amount) * (UNITS[unit] ?? 1000)
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
export function countOf(input: Input): number | undefined {
  const count = numberOf(input, 'count')
  if (count === undefined || (Number.isInteger(count) && count >= 0)) return count
  throw usage(`-n/--count takes a whole number, not ${count}`)
}

export const isOn = (input: Input, field: string): boolean => input[field] === true

export function listOf(input: Input, field: string): readonly string[] {
  const value = input[field]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? [value] : []
}

/** For parameters that are required: the parser has seen to it. */
export const needed = (input: Input, field: string): string => textOf(input, field) ?? ''
