/** What became of a session between points in time, and who did it. */
import { assertWorkspace } from './compose.ts'
import { assertSession } from './kernel/about-session.ts'
import { assertFits, assertGiven, assertOptions, point, text, type Rule } from './kernel/arguments.ts'
import type { Between } from './kernel/history/difference.ts'
import type { At } from './kernel/reading.ts'
import type { Session } from './kernel/session.ts'
import type { Workspace } from './kernel/workspace.ts'

const DIFF: Readonly<Record<keyof Between, Rule>> = { from: point, to: point, path: text }
const BLAME: Readonly<Record<keyof At, Rule>> = { at: point }

/** The answers are those of `steadfold diff --json` and `steadfold blame --json`. */
export const past = {
  /** What changed, sorted by path, and of each change the last commit that made it. */
  async diff(workspace: Workspace, session: Session, options: Between) {
    assertBoth(workspace, session, 'past.diff')
    assertOptions('past.diff', options, DIFF)
    assertGiven('past.diff', options, 'from')
    if (options.to === undefined) await session.refresh()
    const { difference, differenceData } = await import('./kernel/history/difference.ts')
    return differenceData(await difference(workspace.kernel, session, options))
  },
  /** The value at a path and the commit that gave it; undefined where nothing ever was. */
  async blame(workspace: Workspace, session: Session, path: string, options: At = {}) {
    assertBoth(workspace, session, 'past.blame')
    assertFits(path, text, 'past.blame: the path', "past.blame(workspace, session, '$.data.topic')")
    assertOptions('past.blame', options, BLAME)
    const { blame, blameData } = await import('./kernel/history/blame.ts')
    if (options.at === undefined) await session.refresh()
    const last = await blame(workspace.kernel, session.id, path, await session.resolve(options.at ?? '@'))
    return last === undefined ? undefined : blameData(path, last)
  },
}

function assertBoth(workspace: unknown, session: unknown, of: string): void {
  assertWorkspace(workspace, of)
  assertSession(session, of)
}
