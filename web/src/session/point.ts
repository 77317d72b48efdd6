/** Where a point lies. */
import { read, sessionPath, type ApiError } from '../api/request.ts'
import { asOf, useResource } from '../api/resource.ts'
import type { At } from '../api/session.ts'

export interface Point {
  /** Undefined until the daemon has said where it is. */
  readonly seq: number | undefined
  /** There is no such point. */
  readonly error: ApiError | undefined
}

/** A point in the address may be a mark or a time, or lie behind the last commit: the daemon knows where that is. */
export function usePoint(session: string, at: At, seq: number): Point {
  const isKnown = at !== undefined && /^\d+$/.test(at) && Number(at) <= seq
  const asked = at === undefined || isKnown ? undefined : `${session} point ${at}`
  const load = () => read<unknown, { readonly seq: number }>(sessionPath(session, 'query'), { q: '$.none', at })
  const { data, error } = useResource(asked, load, asOf(session, at))
  if (at === undefined) return { seq, error: undefined }
  return isKnown ? { seq: Number(at), error: undefined } : { seq: data?.seq, error }
}
