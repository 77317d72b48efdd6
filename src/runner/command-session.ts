/*
 * The session of a single command.
 *
 * V1. One in which it was begun and has not finished, or one that was made for it and has not ended: a runner was lost right
 *     behind its result, which is kept. Else a new one.
 * V2. Of several who begin the same at once one makes the session. The others get it too, and hear that it is held: a claim
 *     says whose it is before it is there.
 * V3. Who was slow between the two, and was passed over, gives its session up; who has passed over a claim looks once more.
 * V4. With the command ends the session that was made for it, also one that is named; no other, also where it was found.
 */
import type { StepRecord } from '../domain/steps/events.ts'
import { isDefined } from '../domain/workflow/workflow.ts'
import { hasBegun, nameOf } from '../kernel/about-session.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { unlessGone } from '../kernel/names.ts'
import type { Session } from '../kernel/session.ts'
import type { Workspace } from '../kernel/workspace.ts'
import { isSameCommand, ledgerOf, treeOf } from './ground.ts'
import { lifeOf, type Choice } from './open.ts'

const LOOK_MS = 20
/** Nobody takes longer between a claim and the beginning of its session, unless killed. */
const PATIENCE_MS = 5000

/** Its name ends in a part of its id: whoever gives it another has taken it over. */
export const isNamedForCommand = (id: string, name: string): boolean => name.endsWith(lastOf(id))

const lastOf = (id: string): string => `-${id.slice(-8)}`
const isMade = (session: Session): boolean => isNamedForCommand(session.id, nameOf(session))

/** `called`: of a new one, before a part of its id. */
export const forCommand = (kernel: Kernel, argv: readonly string[], called: string, actor: string): Choice => {
  const begun = ({ command, state }: StepRecord): boolean => state !== null && isSameCommand(kernel, command, argv)
  const stepsOf = (session: Session) => Object.values(ledgerOf(session)?.ledger ?? {})
  const fits = (session: Session) =>
    !isDefined(treeOf(session)) &&
    stepsOf(session).some((step) => begun(step) && (step.status !== 'finished' || isMade(session)))
  const usable = async (session: Session | undefined): Promise<Session | undefined> => {
    if (session !== undefined && lifeOf(session) > 0 && (isNew(session) || fits(session))) return session
    await session?.close()
    return undefined
  }
  const isNew = (session: Session) => !isDefined(treeOf(session)) && stepsOf(session).length === 0
  const create = (workspace: Workspace, id = kernel.host.newId()) =>
    workspace.createSession({ id, name: `${called}${lastOf(id)}`, actor })
  const place = `run ${kernel.host.sha256(JSON.stringify(argv))}`
  return {
    fits,
    ends: (session) => isMade(session) && (isNew(session) || fits(session)),
    create: async (workspace) => {
      const claims = kernel.log.names
      if (claims === undefined) return create(workspace)
      for (;;) {
        const held = await claims.holder(place)
        const session = held === undefined ? undefined : await usable(await begunAs(workspace, held.id, PATIENCE_MS))
        if (session !== undefined) return session
        const id = kernel.host.newId()
        if (!(await claims.claim(place, id, held?.generation ?? 0))) continue
        const late = held === undefined ? undefined : await usable(await begunAs(workspace, held.id, 0))
        if (held !== undefined && late !== undefined) {
          await claims.claim(place, held.id, held.generation + 1)
          return late
        }
        const made = await create(workspace, id)
        if ((await claims.holder(place))?.id === id) return made
        await made.run('session.end', { outcome: 'cancelled' }, { actor })
        await made.close()
      }
    },
  }
}

/** V2: undefined where it is not there so long after its claim. */
async function begunAs(workspace: Workspace, id: string, patience: number): Promise<Session | undefined> {
  const { host, log } = workspace.kernel
  const claimed = madeAt(id)
  for (;;) {
    const session = (await log.exists(id)) ? await workspace.session(id).catch(unlessGone) : undefined
    if (session !== undefined && hasBegun(session)) return session
    await session?.close()
    if (!(Math.abs(host.now() - claimed) < patience)) return undefined
    await host.sleep(LOOK_MS)
  }
}

/** Milliseconds since 1970, which ids begin with (UUID version 7). */
const madeAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
