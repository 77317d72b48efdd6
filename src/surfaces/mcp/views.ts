import type { Glance, Inbox } from '../../kernel/care/inbox.ts'
import type { McpParts } from './parts.ts'

/** Of all sessions that have not ended, as whoever asks what needs a person sees them. */
export async function inboxOf({ sessions, glance, inbox }: McpParts): Promise<Inbox> {
  await sessions.look()
  const more = await sessions.needs()
  const glances: Glance[] = []
  for (const { id } of sessions.held) glances.push(await sessions.use(id, glance))
  return inbox(glances, { more })
}
