/* What is plainly right, for the builders that tell. */
import {
  ask,
  ASK,
  each,
  fresh,
  isNumber,
  isText,
  items,
  members,
  NOTHING,
  only,
  type Take,
  type Taking,
} from './take.ts'
import type * as zod from './zod.ts'

/** Of a schema. */
export interface Known extends Taking {
  /** It may make something of undefined. */
  readonly fills: boolean
}

type Shape = Readonly<Record<string, Known>>

export interface Plain extends Partial<Known> {
  readonly shape?: Shape
}

const text = (isRight: (value: string) => boolean): Plain => ({
  take: only((value) => isText(value) && isRight(value)),
})
const amount = (isRight: (value: number) => boolean): Plain => ({
  take: only((value) => isNumber(value) && isRight(value)),
})
const sized = (isRight: (length: number) => boolean): Plain => ({
  take: only((value) => (isText(value) || Array.isArray(value)) && isRight(value.length)),
})
/** Of undefined zod makes the default, wherever it comes from. */
const definite = (value: unknown): unknown => (value === undefined ? ASK : value)
const unknownFilling = (): Plain => ({ fills: true })
const shaped = (shape: Shape): Plain => ({ shape })

/** By what each is given. The others leave everything to zod. */
export const PLAIN: Readonly<Partial<Record<keyof typeof zod, (...given: never) => Plain>>> = {
  _default: ({ take }: Known, value: unknown) => {
    const missing = fresh(value)
    const given: Take = (input) => (input === undefined ? missing() : definite(take(input)))
    return { take: given, missing, fills: true }
  },
  array: (item: Known) => ({ take: items(item) }),
  boolean: () => ({ take: only((value) => typeof value === 'boolean') }),
  enum: (names: unknown) => text((value) => Array.isArray(names) && names.includes(value)),
  exactOptional: unknownFilling,
  int: () => amount(Number.isSafeInteger),
  literal: (value: unknown) => text((input) => input === value),
  looseObject: shaped,
  maximum: (most: number) => amount((value) => value <= most),
  maxLength: (most: number) => sized((length) => length <= most),
  minimum: (least: number) => amount((value) => value >= least),
  minLength: (least: number) => sized((length) => length >= least),
  nonnegative: () => amount((value) => value >= 0),
  nullable: ({ take, fills }: Known) => ({ take: (input) => (input === null ? null : take(input)), fills }),
  number: () => amount(() => true),
  object: (shape: Shape) => ({ take: members(shape), shape }),
  optional: ({ take, fills }: Known) => ({
    take: (input) => (input === undefined && !fills ? undefined : take(input)),
    missing: () => (fills ? ASK : NOTHING),
    fills,
  }),
  pipe: (...[from, to]: readonly [Known, Known]) => ({ take: each([from, to]), fills: from.fills }),
  positive: () => amount((value) => value > 0),
  readonly: unknownFilling,
  refine: (isRight: (value: unknown) => unknown) => ({ take: only((value) => isRight(value) === true) }),
  regex: (pattern: RegExp) => text((value) => !pattern.global && !pattern.sticky && pattern.test(value)),
  strictObject: shaped,
  string: () => text(() => true),
  transform: (into: (value: unknown) => unknown) => ({ take: into.length === 1 ? into : ask, fills: true }),
  union: (options: readonly Known[]) => ({
    take: options[0]?.take ?? ask,
    fills: options.some(({ fills }) => fills),
  }),
  unknown: () => ({ take: (input) => input }),
}
