/*
 * What a program hands to the library beside the input of operations, looked at before anything is done with it: without
 * types a misspelt option, or one of another kind, would be passed over.
 */
import { EngineError } from './error.ts'
import { isActor } from './text/actor.ts'

/** What a value must be. */
export interface Rule {
  readonly fits: (value: unknown) => boolean
  readonly must: string
  /** A member by which one of another copy of this package is known. */
  readonly kin?: string
}

/** A rule for each option there is; one that is undefined is left out. */
export type Rules = Readonly<Record<string, Rule>>

export const text: Rule = { fits: (value) => typeof value === 'string', must: 'must be text' }
export const objects: Rule = {
  fits: (value) => Array.isArray(value) && value.every((member) => typeof member === 'object' && member !== null),
  must: 'must be a list of objects',
}
export const amount: Rule = {
  fits: (value) => typeof value === 'number' && value >= 0,
  must: 'must be a number, 0 or more',
}
export const flag: Rule = { fits: (value) => typeof value === 'boolean', must: 'must be true or false' }
export const seq: Rule = {
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  must: 'must be a sequence number',
}
export const actor: Rule = {
  fits: (value) => typeof value === 'string' && isActor(value),
  must: 'must be human:, agent: or tool: and an id without blanks',
}
export const point: Rule = {
  fits: (value) => typeof value === 'string' || typeof value === 'number',
  must: 'must be a point in time, such as 17, "@-3" or "2h"',
}
export const call: Rule = { fits: (value) => typeof value === 'function', must: 'must be a function' }
/** Also one of another realm, or of a library. */
export const signal: Rule = {
  fits: (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  must: 'must be an AbortSignal',
}

/** What has no members that could be options: a promise that nobody awaited would be taken for none at all. */
const HOLDS_NONE = /^\[object (Array|Promise|Map|Set|Date|RegExp)\]$/

/** What is wrong with options. */
export function misfit(options: unknown, rules: Rules): string | undefined {
  if (typeof options !== 'object' || options === null || HOLDS_NONE.test(Object.prototype.toString.call(options)))
    return 'the options must be an object'
  for (const name in options) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) return `there is no option "${name}"`
    const value = (options as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined && !rule.fits(value)) return `${name} ${rule.must}`
  }
  return undefined
}

export const namesOf = (rules: Rules): string => `they are ${Object.keys(rules).join(', ')}`

/** Throws INPUT_INVALID; `of` names the call. */
export function assertOptions(of: string, options: unknown, rules: Rules): void {
  const why = misfit(options, rules)
  if (why !== undefined) throw new EngineError('INPUT_INVALID', `${of}: ${why}`, { hint: namesOf(rules) })
}

/** The same where one that has to be there is left out. */
export function assertGiven(of: string, options: object, ...names: readonly string[]): void {
  const missing = names.filter((name) => (options as Readonly<Record<string, unknown>>)[name] === undefined)
  if (missing.length === 0) return
  throw new EngineError('INPUT_INVALID', `${of}: ${missing.join(', ')} missing`, {
    hint: `${of}({ ${names.join(', ')} })`,
  })
}

/** The same for a value that stands for itself; `call` shows how it is meant. */
export function assertFits(value: unknown, { fits, must, kin }: Rule, what: string, call: string): void {
  if (fits(value)) return
  const isObject = typeof value === 'object' && value !== null
  if (isObject && kin !== undefined && kin in value)
    throw new EngineError('INPUT_INVALID', `${what} is of another copy of steadfold`, {
      hint: 'npm ls steadfold shows where they are; open it with the one that is called',
    })
  throw new EngineError('INPUT_INVALID', `${what} ${must}, not ${kindOf(value)}`, { hint: call })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (Object.prototype.toString.call(value) === '[object Promise]') return 'a promise'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
