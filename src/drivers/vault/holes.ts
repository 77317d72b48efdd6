/* What a session that goes elsewhere names and cannot take along. */
import { lostBlobs } from '../../kernel/care/blobs.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/session.ts'

const MOST_NAMED = 3

/** It may go without: only here can they be brought back, and there may be no copy. So it is said here, before it goes. */
export async function warnOfHoles(kernel: Kernel, session: Session): Promise<void> {
  const lost = new Map<string, string>()
  for (const { sha256, path } of await lostBlobs(kernel, session.id, session.stored, false))
    if (!lost.has(sha256)) lost.set(sha256, path)
  if (lost.size === 0) return
  const named = [...lost].slice(0, MOST_NAMED).map(([sha256, path]) => `${sha256}, which ${path} names`)
  const more = lost.size > MOST_NAMED ? `; and ${lost.size - MOST_NAMED} more` : ''
  kernel.warn(
    `session ${session.id} goes without what is missing here: blob ${named.join('; blob ')}${more}. Where there is a copy bring it back, then send it again; steadfold verify --deep says where it belongs`,
  )
}
