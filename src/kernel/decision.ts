/* What a rule answers: its yes with the events that carry it out, or its no. */
import { EngineError, exitStatus, shortened, type ErrorCode } from './error.ts'
import type { Event } from './log/commit.ts'

/** The answer "no" of a rule: a value, not an exception. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

export interface Accepted<Body extends Event = Event> {
  readonly kind: 'accepted'
  readonly events: readonly Body[]
  /** What the caller is told where there is nothing to do; of a commit its events tell it. */
  readonly value?: unknown
}

export type Decision = Accepted | Refusal

export function accept<const Events extends readonly Event[]>(...events: Events): Accepted<Events[number]> {
  return { kind: 'accepted', events }
}

/** It is so already: nothing is written, and the caller is told where that stands. */
export const alreadySo = (value: unknown): Accepted<never> => ({ kind: 'accepted', events: [], value })

export function refuse(
  code: ErrorCode,
  message: string,
  more: { readonly hint?: string; readonly details?: Readonly<Record<string, unknown>> } = {},
): Refusal {
  const hint = more.hint === undefined ? {} : { hint: shortened(more.hint) }
  return { kind: 'refused', code, message: shortened(message), ...more, ...hint }
}

const EXIT_REFUSED = 4

/** What a rule threw; a failure is thrown on. */
export function asRefusal(error: unknown): Refusal {
  const refusal = error instanceof EngineError ? refusalOf(error) : undefined
  if (refusal === undefined) throw error
  return refusal
}

/** What a rule threw as its no; undefined when it is a failure. */
export function refusalOf({ code, message, hint, details }: EngineError): Refusal | undefined {
  if (exitStatus(code) !== EXIT_REFUSED) return undefined
  return refuse(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  })
}

/** A rule's no, where only a yes will do. */
export const failure = (refusal: Refusal): EngineError => new EngineError(refusal.code, refusal.message, refusal)
