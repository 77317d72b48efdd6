import type { Glance, Inbox } from '../../kernel/care/inbox.ts'
import { needOf } from '../../kernel/care/shut.ts'
import type { McpParts } from './parts.ts'

/** Of all sessions that have not ended, as whoever asks what needs a person sees them. */
export async function inboxOf({ sessions, glance, inbox }: McpParts): Promise<Inbox> {
  await sessions.look()
  const shut = await sessions.shut()
  const glances: Glance[] = []
  for (const { id } of sessions.held) glances.push(await sessions.use(id, glance))
  const more = shut.map((each) => needOf(each, sessions.kernel.host.now()))
  return inbox(glances, { more: [...more, ...(await sessions.strays())] })
}
