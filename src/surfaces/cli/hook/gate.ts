/* Why a tool of an agent CLI must not run now. */
import * as path from 'node:path'
import { membersOf } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import type { Context } from '../context/context.ts'
import { realOf } from '../context/real-path.ts'
import { lifeOf, nameOf, statusOf } from '../context/scope.ts'
import { writtenBy } from './gate-files.ts'

const BEFORE_TOOLS = /^(PreToolUse|BeforeTool|tool\.execute\.before)$/

/** What an agent, `asker`, is about to do, as its CLI tells it. */
interface Asked {
  readonly asker: string
  readonly payload: string
}

/** Undefined when nothing speaks against what the payload tells of; throws where it is no JSON. */
export function gateReason(context: Context, session: Session, { asker, payload }: Asked): string | undefined {
  const told = membersOf(JSON.parse(payload))
  if (!BEFORE_TOOLS.test(String(told['hook_event_name']))) return undefined
  const status = statusOf(session)
  if (status === 'suspended' || status === 'recovering')
    return `session ${nameOf(session)} is ${status}: wait until a person runs: steadfold session resume ${quoted(nameOf(session))}`
  // Where it is only the last that there is, nobody works in it.
  if (status === 'departed' && context.namedSession !== undefined)
    return `session ${nameOf(session)} has departed: work goes on where it arrived, until a person runs: steadfold teleport cancel ${quoted(nameOf(session))}`
  const files = writtenBy(told, context.cwd)
  return files.length === 0 ? undefined : lockedBy(context, session, { asker, files: new Set(files.map(realOf)) })
}

/** Where none of several sessions is named, a lock in any of them counts: it is another's in whichever this one works. */
export async function anyReason(context: Context, asked: Asked): Promise<string | undefined> {
  if (context.namedSession !== undefined) return undefined
  let reason: string | undefined
  for await (const session of (await context.workspace()).sessions()) {
    if (lifeOf(session) === 'active') reason ??= gateReason(context, session, asked)
    await session.close()
  }
  return reason
}

/** A lock is named by the path from the folder of the workspace, in whichever checkout, or by the whole one; links lead to the same file. */
function lockedBy(
  context: Context,
  session: Session,
  { asker, files }: { readonly asker: string; readonly files: ReadonlySet<string> },
): string | undefined {
  const resources = Object.entries(membersOf(session.get('$.communication.locks.resources')))
  // Most sessions have no lock, and then nobody looks where the checkout is.
  const folders = resources.length === 0 ? [] : [context.dir, context.project]
  for (const [resource, record] of resources) {
    const { holders } = membersOf(record)
    const holds: readonly unknown[] = Array.isArray(holders) ? holders : []
    const other = holds.map(membersOf).find((hold) => !isHeldBy(asker, hold) && Number(hold['expires']) > session.now())
    if (other !== undefined && folders.some((folder) => files.has(realOf(path.resolve(folder, resource)))))
      return `${resource} is locked by ${String(other['holder'])}, and you are ${asker}: work on something else, or wait: steadfold lock list`
  }
  return undefined
}

const isHeldBy = (asker: string, { holder }: Readonly<Record<string, unknown>>): boolean =>
  holder === asker || String(holder).startsWith(`${asker} `)
