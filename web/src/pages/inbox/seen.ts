/** Which finished sessions were looked at already. The browser keeps it: it is about a person, not about the session. */
import { useEffect } from 'preact/hooks'
import type { SessionRow } from '../../../../src/kernel/care/inbox.ts'
import { makeStore, useStore } from '../../store.ts'

const NAME = 'steadfold.seen'

/** Session -> sequence number. */
type Seen = Readonly<Record<string, number>>

const seen = makeStore<Seen>(kept())

/** Whoever opens a session has seen it. */
export function useSeeing(id: string, seq: number): void {
  useEffect(() => keep(id, seq), [id, seq])
}

export function useSeen() {
  const known = useStore(seen)
  return {
    isSeen: ({ id, seq }: SessionRow) => (known[id] ?? -1) >= seq,
    see: ({ id, seq }: SessionRow) => keep(id, seq),
  }
}

/** Other tabs keep theirs in the same place: it is looked at anew before each change, and when they change it. */
function keep(id: string, seq: number): void {
  const known = kept()
  if ((known[id] ?? -1) >= seq) return
  const next = { ...known, [id]: seq }
  localStorage.setItem(NAME, JSON.stringify(next))
  seen.set(next)
}

addEventListener('storage', ({ key }) => (key === NAME ? seen.set(kept()) : undefined))

function kept(): Seen {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(NAME) ?? '{}')
    // What else than numbers may stand in it never compares as seen.
    return typeof value === 'object' && value !== null ? (value as Seen) : {}
  } catch {
    return {}
  }
}
