/** What pages ask of a session. With `at` it is answered as of then, and not asked again (Q3). */
import { post, read, sessionPath, type Envelope, type Query } from './request.ts'
import { asOf, refreshSession, useResource, type Resource } from './resource.ts'

/** A point: a sequence number, a mark, `2h`, an ISO time; undefined for now. */
export type At = string | undefined

/** GET below a session: `useRead(id, 'state', { path: 'data' }, at)`. */
export function useRead<Data, More = unknown>(
  session: string,
  what: string,
  query: Query = {},
  at?: At,
): Resource<Envelope<Data, More>> {
  const path = sessionPath(session, what)
  const whole = at === undefined ? query : { ...query, at }
  const name = `${path}?${JSON.stringify(whole)}`
  return useResource(name, () => read<Data, More>(path, whole), asOf(session, at))
}

/** An operation that reads: `useOperation(id, 'task.list', {}, at)`. `data` is its value. */
export function useOperation<Value>(
  session: string,
  operation: string,
  input: Readonly<Record<string, unknown>> = {},
  at?: At,
): Resource<Value> {
  const body = at === undefined ? input : { ...input, $at: at }
  const name = `${session} ${operation} ${JSON.stringify(body)}`
  const load = async () => (await post<Accepted<Value>>(sessionPath(session, operation), body)).value
  return useResource(name, load, asOf(session, at))
}

export interface Accepted<Value = unknown> {
  readonly seq: number
  readonly value: Value
}

/** What is asked for once more under the same key is done once. */
export const newKey = (): string => `web-${crypto.randomUUID()}`

/**
 * An operation that writes. Settles when it is durable and the page has read what it changed; throws an ApiError when
 * refused. `input` may name its `$key`.
 */
export async function operate<Value = unknown>(
  session: string,
  operation: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Accepted<Value>> {
  const body = { $key: newKey(), ...input }
  const accepted = await post<Accepted<Value>>(sessionPath(session, operation), body)
  await refreshSession(session)
  return accepted
}
