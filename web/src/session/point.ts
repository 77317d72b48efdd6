/** Where a point lies. */
import { read, sessionPath } from '../api/request.ts'
import { useResource } from '../api/resource.ts'
import type { At } from '../api/session.ts'

/** A point in the address may be a mark or a time: the daemon knows where that is. */
export function usePoint(session: string, at: At, seq: number): number | undefined {
  const isNumber = at !== undefined && /^\d+$/.test(at)
  const asked = at === undefined || isNumber ? undefined : `${session} point ${at}`
  const load = () => read<unknown, { readonly seq: number }>(sessionPath(session, 'query'), { q: '$.none', at })
  const { data } = useResource(asked, load)
  if (at === undefined) return seq
  return isNumber ? Number(at) : data?.seq
}
