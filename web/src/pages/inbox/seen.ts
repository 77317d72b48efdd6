/** Which finished sessions were looked at already. The browser keeps it: it is about a person, not about the session. */
import type { SessionRow } from '../../../../src/kernel/inbox.ts'
import { makeStore, useStore } from '../../store.ts'

const NAME = 'steadfold.seen'

/** Session -> sequence number. */
type Seen = Readonly<Record<string, number>>

const seen = makeStore<Seen>(kept())

export function useSeen() {
  const known = useStore(seen)
  return {
    isSeen: ({ id, seq }: SessionRow) => (known[id] ?? -1) >= seq,
    see: ({ id, seq }: SessionRow) => keep(id, seq),
  }
}

function keep(id: string, seq: number): void {
  const next = { ...seen.get(), [id]: seq }
  localStorage.setItem(NAME, JSON.stringify(next))
  seen.set(next)
}

function kept(): Seen {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(NAME) ?? '{}')
    // What else than numbers may stand in it never compares as seen.
    return typeof value === 'object' && value !== null ? (value as Seen) : {}
  } catch {
    return {}
  }
}
