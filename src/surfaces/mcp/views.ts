import type { Glance } from '../../kernel/care/inbox.ts'
import type { McpParts } from './parts.ts'

/** All sessions that have not ended, as whoever asks what needs a person sees them. */
export async function allGlances({ sessions, glance }: McpParts): Promise<readonly Glance[]> {
  await sessions.look()
  const glances: Glance[] = []
  for (const { id } of sessions.held) glances.push(await sessions.use(id, glance))
  return glances
}
