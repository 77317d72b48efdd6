/* Why a tool of an agent CLI must not run now. */
import * as path from 'node:path'
import type { Session } from '../../kernel/session.ts'
import type { Context } from './context.ts'
import { nameOf, statusOf } from './scope.ts'
import { members, textAt } from './view.ts'

/** Tools that change a file which they name; all others pass. */
const WRITERS = /^(Write|Edit|MultiEdit|NotebookEdit|write_file|replace|edit)$/
const FILES = ['file_path', 'notebook_path', 'path', 'absolute_path']

const BEFORE_TOOLS = /^(PreToolUse|BeforeTool)$/

/** Undefined when nothing speaks against what the payload tells of; throws where it is no JSON. */
export function gateReason(context: Context, session: Session, payload: string): string | undefined {
  const told = members(JSON.parse(payload))
  if (!BEFORE_TOOLS.test(String(told['hook_event_name']))) return undefined
  const status = statusOf(session)
  if (status === 'suspended' || status === 'recovering')
    return `session ${nameOf(session)} is ${status}: wait until a person runs: steadfold session resume ${nameOf(session)}`
  if (!WRITERS.test(String(told['tool_name']))) return undefined
  const given = members(told['tool_input'])
  const file = FILES.map((name) => textAt(given[name])).find((each) => each !== null) ?? null
  return file === null ? undefined : lockedBy(context, session, path.resolve(context.cwd, file))
}

/** A lock is named by the path from the folder of the workspace, or by the whole one. */
function lockedBy(context: Context, session: Session, file: string): string | undefined {
  const resources = members(session.get('$.communication.locks.resources'))
  for (const resource of [path.relative(context.dir, file), file]) {
    const record = Object.hasOwn(resources, resource) ? members(resources[resource]) : {}
    const holders: readonly unknown[] = Array.isArray(record['holders']) ? record['holders'] : []
    const other = holders.map(members).find((hold) => !isOurs(context, hold) && Number(hold['expires']) > Date.now())
    if (other !== undefined)
      return `${resource} is locked by ${String(other['holder'])}: work on something else, or wait: steadfold lock list`
  }
  return undefined
}

const isOurs = ({ actor }: Context, { holder }: Readonly<Record<string, unknown>>): boolean =>
  holder === actor || String(holder).startsWith(`${actor}/`)
