import { sessionOf } from '../domain/session/session.ts'
import type { Definition } from '../domain/workflow/definition.ts'
import { hasSteps, isDefined, workflowOf } from '../domain/workflow/workflow.ts'
import { lost, remainsOf } from '../kernel/care/remains.ts'
import { EngineError } from '../kernel/error.ts'
import { unlessGone } from '../kernel/names.ts'
import type { Session } from '../kernel/session.ts'
import type { Workspace } from '../kernel/workspace.ts'
import { treeOf } from './ground.ts'

export interface Opened {
  readonly session: Session
  /** Closes the session if it was opened here. */
  close(): Promise<void>
}

/** Which session to run in when none is named. */
export interface Choice {
  readonly fits: (session: Session) => boolean
  readonly create: (workspace: Workspace) => Promise<Session>
  /** Asked before anything is run in it: whether it is over when that is, since it was made for it. */
  readonly ends: (session: Session) => boolean
}

const MOST_NAMES = 10_000
export const DEFAULT_ACTOR = 'tool:runner'

/** The session given, else the last active one that fits, else a new one. */
export async function openSession(
  workspace: Workspace,
  named: Session | string | undefined,
  { fits, create }: Choice,
): Promise<Opened> {
  if (named !== undefined) return given(workspace, named)
  return own((await lastThat(workspace, fits)) ?? (await create(workspace)))
}

export async function given(workspace: Workspace, named: Session | string): Promise<Opened> {
  if (typeof named === 'string') return own(await workspace.session(named))
  return { session: named, close: () => Promise.resolve() }
}

/** The workflow that a session has. Throws WORKFLOW_MISSING, and WORKFLOW_INVALID where nothing is to be run. */
export async function ownDefinition(workspace: Workspace, named: Session | string): Promise<Definition> {
  const { session, close } = await given(workspace, named)
  try {
    await session.refresh()
    if (!isDefined(treeOf(session)))
      throw new EngineError('WORKFLOW_MISSING', 'nothing to run: the session has no workflow', {
        hint: 'steadfold run FILE.workflow.yaml',
      })
    const { definition } = workflowOf(treeOf(session))
    if (hasSteps(definition)) return definition
    throw new EngineError('WORKFLOW_INVALID', 'the workflow of this session has no steps: nothing to run', {
      hint: 'steadfold workflow transition STATE moves it; steadfold run FILE runs another',
    })
  } finally {
    await close()
  }
}

/** A session of this workflow, or one that has its name: in which nothing was done, or new. */
export function forWorkflow({ name, goal }: Definition, actor = DEFAULT_ACTOR): Choice {
  const fits = (session: Session) => isDefined(treeOf(session)) && workflowOf(treeOf(session)).name === name
  return { fits, create: (workspace) => createNamed(workspace, { name, goal, actor }, fits), ends: () => false }
}

const own = (session: Session): Opened => ({ session, close: () => session.close() })

/** The last that can be worked in, else the last that could be again: a new one would pay for its work again. */
async function lastThat(workspace: Workspace, fits: Choice['fits']): Promise<Session | undefined> {
  let last: Session | undefined
  let best = 1
  let unread: EngineError | undefined
  const leftOut = (id: string, why: EngineError) => void (unread ??= mayBeMeant(id, why))
  for await (const session of workspace.sessions(undefined, leftOut)) {
    const life = lifeOf(session)
    if (life >= best && fits(session)) {
      await last?.close()
      last = session
      best = life
    } else await session.close()
  }
  if (last === undefined && unread !== undefined) throw unread
  return last
}

const mayBeMeant = (id: string, { code, message, hint = 'steadfold doctor' }: EngineError): EngineError =>
  new EngineError(code, `session ${id} may be the one to run in: ${message}`, {
    hint: `${hint}, or name the session to run in: --session NAME`,
  })

/** 0: it has ended; 1: it takes no work, such as suspended or damaged, and says what to do when it is run; 2: it is at work. */
export function lifeOf({ damage, stored }: Session): 0 | 1 | 2 {
  const status = sessionOf(stored)?.lifecycle.status
  if (status === 'terminated' || (status === undefined && damage === undefined)) return 0
  return damage === undefined && (status === 'active' || status === 'recovering') ? 2 : 1
}

interface Named {
  readonly name: string
  readonly goal: string | null
  readonly actor: string
}

async function createNamed(workspace: Workspace, { name, goal, actor }: Named, fits: Choice['fits']): Promise<Session> {
  for (let n = 1; n < MOST_NAMES; n++) {
    const called = n === 1 ? name : `${name}-${n}`
    try {
      return await workspace.createSession({
        name: called,
        actor,
        ...(goal === null ? {} : { goal }),
      })
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'NAME_TAKEN') throw error
      const taken = await takenAs(workspace, called, fits)
      if (taken !== undefined) return taken
    }
  }
  throw new EngineError('NAME_TAKEN', `${MOST_NAMES} sessions are called "${name}"`, {
    hint: 'end some, or give --session',
  })
}

/**
 * The session of that name, where it is of this workflow, or of one that cannot be read, or nothing was done in it yet: by
 * whoever has just begun it, or died there. Throws where its log is gone: another would pay for its work again.
 */
async function takenAs(workspace: Workspace, name: string, fits: Choice['fits']): Promise<Session | undefined> {
  const session = await workspace.session(name).catch(unlessGone)
  const gone = session === undefined ? await remainsOf(workspace.kernel, name) : undefined
  if (gone !== undefined) throw lost(gone)
  if (session === undefined) return undefined
  const mayFit = fits(session) || isUntouched(session) || (session.damage !== undefined && !isDefined(treeOf(session)))
  if (lifeOf(session) > 0 && mayFit) return session
  await session.close()
  return undefined
}

/** What is done in a session leaves something beside its own slice. */
const isUntouched = ({ stored }: Session): boolean => Object.keys(stored).every((member) => member === 'session')
