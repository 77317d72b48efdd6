import type { Definition } from '../domain/workflow/definition.ts'
import { isDefined, workflowOf } from '../domain/workflow/workflow.ts'
import { EngineError } from '../kernel/error.ts'
import type { Session } from '../kernel/session.ts'
import type { Workspace } from '../kernel/workspace.ts'
import { treeOf } from './ground.ts'

export interface Opened {
  readonly session: Session
  /** Closes the session if it was opened here. */
  close(): Promise<void>
}

const MOST_NAMES = 10_000

/** The session given, else the last active one of this workflow, else a new one named after it. */
export async function openSession(
  workspace: Workspace,
  definition: Definition,
  given: Session | string | undefined,
): Promise<Opened> {
  if (typeof given === 'string') return own(await workspace.session(given))
  if (given !== undefined) return { session: given, close: () => Promise.resolve() }
  return own((await lastOf(workspace, definition.name)) ?? (await create(workspace, definition)))
}

const own = (session: Session): Opened => ({ session, close: () => session.close() })

async function lastOf(workspace: Workspace, name: string): Promise<Session | undefined> {
  let last: Session | undefined
  for await (const session of workspace.sessions()) {
    const tree = treeOf(session)
    const fits =
      session.damage === undefined &&
      session.get('$.session.lifecycle.status') === 'active' &&
      isDefined(tree) &&
      workflowOf(tree).name === name
    if (fits) await last?.close()
    else await session.close()
    if (fits) last = session
  }
  return last
}

async function create(workspace: Workspace, { name, goal }: Definition): Promise<Session> {
  for (let n = 1; n < MOST_NAMES; n++) {
    try {
      return await workspace.createSession({
        name: n === 1 ? name : `${name}-${n}`,
        ...(goal === null ? {} : { goal }),
      })
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'NAME_TAKEN') throw error
    }
  }
  throw new EngineError('NAME_TAKEN', `${MOST_NAMES} sessions are called "${name}"`, {
    hint: 'end some, or give --session',
  })
}
