import type { Inbox, SessionRow } from '../../../../src/kernel/care/inbox.ts'
import type { SessionLine } from '../../api/sessions.ts'

/** A session with what goes on in it, as far as that is known already. */
export type Joined = SessionLine & { readonly row: SessionRow | undefined; readonly needs: number }

export function joined(lines: readonly SessionLine[], inbox: Inbox | undefined): readonly Joined[] {
  const rows = inbox === undefined ? [] : [inbox.working, inbox.done, inbox.idle, inbox.other].flat()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const needs = new Map<string, number>()
  for (const { session } of inbox?.needs_you ?? []) needs.set(session, (needs.get(session) ?? 0) + 1)
  return lines.map((line) => ({ ...line, row: byId.get(line.id), needs: needs.get(line.id) ?? 0 }))
}
