/*
 * What a route is made of. One list of them gives the server and its OpenAPI description.
 */
import type * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import type { RunOptions } from '../../kernel/operation/answer.ts'
import { isActor } from '../../kernel/text/actor.ts'
import type { Answered } from './answer.ts'
import type { Desk } from './desk.ts'
import type { DaemonParts } from './parts.ts'

/** A word behind the `?`; `list` may be given several times, `flag` is `true`, `1` or nothing. */
export interface Parameter {
  readonly name: string
  readonly kind: 'text' | 'count' | 'flag' | 'list'
  readonly summary: string
  /** Without it there is no answer. */
  readonly needed?: boolean
}

export interface Route {
  readonly method: 'get' | 'post'
  /** As in OpenAPI: `/v1/sessions/{id}/log`. */
  readonly path: string
  /** Of the data it answers: `log`. */
  readonly name: string
  readonly summary: string
  readonly query?: readonly Parameter[]
  readonly body?: z.ZodMiniObject
  /** How it can be asked for, besides by whom. */
  readonly takes?: readonly (keyof RunOptions)[]
  /** It answers 201 with what it has begun; a dry run 200. */
  readonly begins?: true
  readonly run: (asked: Asked) => Promise<Answered>
}

export interface Asked {
  readonly parts: DaemonParts
  readonly desk: Desk
  /** The session that the path names; empty where it names none. */
  readonly id: string
  readonly query: Query
  readonly body: Readonly<Record<string, unknown>>
  readonly options: Options
}

/** How it is asked for; it always says by whom. */
export type Options = RunOptions & { readonly actor: string }

/** Typed access to what stands behind the `?`. */
export class Query {
  readonly #values: URLSearchParams

  /** Throws USAGE for a name that the route does not know. */
  constructor(text: string, known: readonly Parameter[]) {
    this.#values = new URLSearchParams(text)
    const names = known.map(({ name }) => name)
    for (const name of this.#values.keys())
      if (!names.includes(name))
        throw usage(`there is no parameter ${JSON.stringify(name)} here`, `there are: ${names.join(', ') || 'none'}`)
  }

  text(name: string): string | undefined {
    const [value, ...more] = this.#values.getAll(name)
    if (more.length > 0) throw usage(`${name} is given ${more.length + 1} times`, 'give it once')
    return value === '' ? undefined : value
  }

  count(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw usage(`${name} takes a whole number, not ${JSON.stringify(text)}`, `${name}=100`)
  }

  flag(name: string): boolean {
    const text = this.text(name)
    if (text === undefined || text === 'false' || text === '0') return false
    if (text === 'true' || text === '1') return true
    throw usage(`${name} takes true or false, not ${JSON.stringify(text)}`, `${name}=true`)
  }

  list(name: string): readonly string[] {
    return this.#values.getAll(name).filter((value) => value !== '')
  }
}

export function checkedActor(actor: string): string {
  if (isActor(actor)) return actor
  throw usage(`the actor is human:NAME, agent:NAME or tool:NAME, not ${JSON.stringify(actor)}`, 'agent:planner')
}

export const usage = (message: string, hint: string): EngineError => new EngineError('USAGE', message, { hint })
