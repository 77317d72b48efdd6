/*
 * The builders of zod as the hot programs have them: what is plainly right is taken as it is, and zod itself is loaded when
 * something else is asked. Most commands of every hour end before.
 *
 * V1. What is taken here is what zod gives for it; what zod refuses is never taken.
 */
import { PLAIN, type Known, type Plain } from './plain.ts'
import { ask, ASK, each, type Take } from './take.ts'
import type * as zod from './zod.ts'

type Zod = typeof zod
type Schema = ReturnType<Zod['unknown']>

/** Each program has this file of its own, and one is given schemas of another. */
const LATE = Symbol.for('steadfold: late')

/** A schema, or a check of one. */
class Late implements Known {
  readonly [LATE] = true
  readonly take: Take
  readonly missing: Known['missing']
  readonly fills: boolean
  readonly shape: Plain['shape']
  readonly #make: () => unknown
  #made: Schema | undefined

  constructor(make: () => unknown, { take = ask, missing = () => ASK, fills = false, shape }: Plain = {}) {
    this.#make = make
    this.take = take
    this.missing = missing
    this.fills = fills
    this.shape = shape
  }

  /** By zod. Whoever wrote it did so with its types. */
  get made(): Schema {
    return (this.#made ??= this.#make() as Schema)
  }

  check(...checks: readonly unknown[]): Late {
    const { fills, shape } = this
    const make = () => this.made.check(...(checks.map(made) as never[]))
    const take = each([this, ...checks.map((check) => (isLate(check) ? check : { take: ask }))])
    return new Late(make, { take, fills, ...(shape === undefined ? {} : { shape }) })
  }

  parse(input: unknown): unknown {
    return this.made.parse(input)
  }

  safeParse(input: unknown, options?: Parameters<Schema['safeParse']>[1]): unknown {
    const taken = options === undefined ? this.take(input) : ASK
    return taken === ASK ? this.made.safeParse(input, options) : { success: true, data: taken }
  }
}

const isLate = (value: unknown): value is Late => typeof value === 'object' && value !== null && LATE in value

type Builder = (...given: readonly unknown[]) => Late

/** The builders of these `names`; `load` gives zod. */
export function lateSchemas(names: readonly string[], load: () => Zod): Readonly<Record<string, unknown>> {
  const late =
    (builder: () => unknown, plain?: (...given: never) => Plain): Builder =>
    (...given) => {
      const make = () => Reflect.apply(builder() as Builder, undefined, given.map(made))
      return new Late(make, plain?.(...(given as never)))
    }
  const all = (names as readonly (keyof Zod)[]).map((name) => [name, late(() => load()[name], PLAIN[name])])
  const iso = new Proxy({}, { get: (_, name) => late(() => Reflect.get(load().iso, name)) })
  return { ...Object.fromEntries(all), iso } as Readonly<Record<string, unknown>>
}

/** What a builder is given, as zod takes it. */
function made(given: unknown): unknown {
  if (isLate(given)) return given.made
  if (Array.isArray(given)) return given.map(made)
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return given
  return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, made(member)]))
}
