/*
 * References inside a state: what names something that is not there.
 *
 * R1. Every module looks at its own slice; nothing is changed by looking, and nothing is reset by anybody.
 * R2. Agents may work without being registered. Where any are, who is named and is not among them is missing.
 */
import { sliceOf, type Tree } from './module.ts'

export interface Dangling {
  /** Where in the state, as a path. */
  readonly path: string
  /** What is named there, such as `epic epic-1`. */
  readonly names: string
  readonly why: string
}

export type References = (root: Readonly<Tree>) => readonly Dangling[]

/** A blob that a state names. */
export interface KeptAt {
  /** Where in the state, as a path. */
  readonly path: string
  readonly sha256: string
}

/** The blobs that a slice names, for who looks whether they are there (R1). */
export type Keeps = (root: Readonly<Tree>) => readonly KeptAt[]

export const dangling = (path: string, names: string, why = 'there is none'): Dangling => ({ path, names, why })

/** R2, by id or by actor; never for people, tools and nobody. */
export function missingAgent(root: Readonly<Tree>, name: string | null | undefined): string | undefined {
  const agents = sliceOf<{ readonly active: Readonly<Record<string, unknown>> }>(root, 'execution.agents')
  if (agents === undefined || name === null || name === undefined) return undefined
  const id = name.replace(/^agent:/, '').split(' ', 1)[0] ?? ''
  return id === '' || id.includes(':') || Object.hasOwn(agents.active, id) ? undefined : id
}

const PLAIN = /^[A-Za-z_][\w-]*$/

/** `$.execution.tasks.task-1`, with brackets where a key needs them. */
export const placeOf = (base: string, ...keys: readonly (string | number)[]): string =>
  keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return PLAIN.test(key) ? `${path}.${key}` : `${path}['${key.replaceAll(/['\\]/g, String.raw`\$&`)}']`
  }, base)
