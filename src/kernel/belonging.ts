/*
 * The session that is meant where none is named, by a shell or by the hook of an agent CLI.
 *
 * N1. The only active one; none while there is none, or are several, or one that may be it is damaged or cannot be read.
 * N2. An agent stays where it began, whatever other session is the only active one by now, also while its own is suspended: of those
 *     that go on here, the one that was told of its run last.
 */
import { lifeOf } from './about-session.ts'
import { membersOf } from './json/members.ts'
import type { Session } from './session.ts'
import type { Workspace } from './workspace.ts'

/** It takes what is told, now or when it is resumed. */
const GOES_ON: ReadonlySet<string> = new Set(['active', 'suspended', 'recovering'])

export interface Belonging {
  /** N1 */
  readonly only: string | undefined
  /** How many are active. */
  readonly active: number
  /** N2; `run` as its agent CLI calls it. */
  readonly ofRun: (agent: string, run: string | undefined) => string | undefined
}

export async function belonging(workspace: Workspace): Promise<Belonging> {
  const active: string[] = []
  const runs = new Map<string, { readonly session: string; readonly at: string }>()
  let isSure = true
  for await (const session of workspace.sessions(undefined, () => (isSure = false))) {
    const life = lifeOf(session, workspace.kernel.host.now())
    if (life === 'active') {
      active.push(session.id)
      isSure &&= session.damage === undefined
    }
    if (GOES_ON.has(life))
      for (const [run, at] of toldIn(session))
        // A fork knows of the same ones: they stay with the older.
        if (at > (runs.get(run)?.at ?? '')) runs.set(run, { session: session.id, at })
    await session.close()
  }
  return {
    only: isSure && active.length === 1 ? active[0] : undefined,
    active: active.length,
    ofRun: (agent, run) => runs.get(`${agent}:${run ?? ''}`)?.session,
  }
}

/** Whether it was told of this run before. */
export const knowsRun = (session: Session, agent: string, run: string | undefined): boolean =>
  toldIn(session).some(([known]) => known === `${agent}:${run ?? ''}`)

/** The id that an agent CLI has given the run of which it tells; among the first members of its JSON. */
export const cliSessionIn = (payload: string): string | undefined =>
  /"session_id"\s*:\s*"([\w.:-]{1,128})"/.exec(payload.slice(0, 4000))?.[1]

/** Each run with when it was told of last, under its own id and that of its CLI. A damaged session takes no more of them. */
function toldIn(session: Session): readonly (readonly [run: string, at: string])[] {
  if (session.damage !== undefined) return []
  return Object.values(membersOf(session.get('$.activity.runs'))).flatMap((each) => {
    const { agent, run, cli_session, last_at } = membersOf(each)
    const ids = [run, cli_session].filter((id) => typeof id === 'string')
    return ids.map((id) => [`${String(agent)}:${id}`, String(last_at)] as const)
  })
}
