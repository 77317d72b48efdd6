/** Who is writing an answer keeps the row, and the words, when the question is settled elsewhere, until the field is empty. */
import { useRef, useState } from 'preact/hooks'
import type { Need } from '../../../../src/kernel/care/inbox.ts'

export interface Row {
  readonly key: string
  readonly need: Need
  /** False when nobody asks it any more. */
  readonly isAsked: boolean
}

interface Held {
  readonly rows: readonly Row[]
  readonly hold: (key: string, isWritten: boolean) => void
}

const keyOf = ({ session, kind, what, next }: Need): string => `${session} ${kind} ${what} ${next}`

export function useHeld(needs: readonly Need[]): Held {
  const [written, write] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<readonly Row[]>([])
  const rows = needs.map((need): Row => ({ key: keyOf(need), need, isAsked: true }))
  const asked = new Set(rows.map(({ key }) => key))
  last.current.forEach((row, index) => {
    // In its place: a field that is moved loses the focus.
    if (written.has(row.key) && !asked.has(row.key)) rows.splice(index, 0, { ...row, isAsked: false })
  })
  last.current = rows
  const hold = (key: string, isWritten: boolean) =>
    write((now) => {
      if (now.has(key) === isWritten) return now
      return new Set(isWritten ? [...now, key] : [...now].filter((each) => each !== key))
    })
  return { rows, hold }
}
