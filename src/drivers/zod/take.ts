/* What is plainly right, without zod. */

// Each program has these of its own, and one is given schemas of another.
/** It is not plain: zod is to be asked. */
export const ASK = Symbol.for('steadfold: ask')
/** An object goes without the member. */
export const NOTHING = Symbol.for('steadfold: nothing')

/** What the input becomes, or ASK. */
export type Take = (input: unknown) => unknown

export interface Taking {
  readonly take: Take
  /** What becomes of a member that is missing: a value, NOTHING, or ASK. */
  readonly missing: () => unknown
}

export const ask: Take = () => ASK

export const only =
  (isRight: (value: unknown) => boolean): Take =>
  (input) =>
    isRight(input) ? input : ASK

/** All of them, in order. */
export const each =
  (all: readonly Pick<Taking, 'take'>[]): Take =>
  (input) =>
    all.reduce<unknown>((taken, { take }) => (taken === ASK ? ASK : take(taken)), input)

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** A value for one who may change it. */
export function fresh(value: unknown): () => unknown {
  if (Array.isArray(value)) return () => [...(value as readonly unknown[])]
  const isScalar = value === null || isText(value) || isNumber(value) || typeof value === 'boolean'
  return isScalar ? () => value : () => ASK
}

export function members(shape: Readonly<Record<string, Taking>>): Take {
  return (input) => {
    if (typeof input !== 'object' || input === null || Object.getPrototypeOf(input) !== Object.prototype) return ASK
    const taken: Record<string, unknown> = {}
    for (const [key, { take, missing }] of Object.entries(shape)) {
      const value = key in input ? take(Reflect.get(input, key)) : missing()
      if (value === ASK) return ASK
      if (value !== NOTHING) taken[key] = value
    }
    return taken
  }
}

export function items({ take }: Pick<Taking, 'take'>): Take {
  return (input) => {
    if (!Array.isArray(input)) return ASK
    const taken = Array.from({ length: input.length }, (_, index) => take(input[index]))
    return taken.includes(ASK) ? ASK : taken
  }
}
