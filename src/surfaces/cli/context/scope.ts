/*
 * Which workspace, and which session in it.
 *
 *   --dir  →  STEADFOLD_DIR  →  the nearest .steadfold upward, or in a worktree of git upward from the same place in the main
 *   checkout; a folder, or the address of a database
 *   --session  →  STEADFOLD_SESSION  →  the only active one, or where none is, the only one that has not ended
 *
 * W1. Nothing is guessed: where several fit, the answer lists them. One that cannot be read may be the one that is meant, and
 *     one that is damaged is as active as it was.
 * W2. What removes takes a whole id or an exact name; everything else takes a unique beginning of an id, too.
 * W3. A read may name a point in the same word: build@17, build@-3, build@draft-done.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { lifeOf as lifeAt, nameOf, onlyBeginsWith, statusOf as statusAt } from '../../../kernel/about-session.ts'
import { orArchived } from '../../../kernel/care/put-away.ts'
import { EngineError } from '../../../kernel/error.ts'
import type { Damage } from '../../../kernel/log/chain.ts'
import { codeOf } from '../../../kernel/log/replay.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import type { Workspace } from '../../../kernel/workspace.ts'
import { padEnd, widthOf } from '../show/text.ts'
import { inMain } from './checkout.ts'
import { FOLDER, holdsWorkspace, nearestWorkspace } from './nearest.ts'

export { FOLDER, nameOf, quoted }

/** What a log is from there on. */
export const damageText = (damage: Damage): string =>
  codeOf(damage) === 'LOG_CORRUPT'
    ? `damaged at commit ${damage.seq}`
    : `of a newer version from commit ${damage.seq} on`

/** Of a database, where a folder could stand. */
export const isAddress = (named: string): boolean => /^[a-z]+:\/\//.test(named)

/** How a command uses its session: W2 holds for `remove`. */
export type Use = 'read' | 'write' | 'remove'

export interface Chosen {
  readonly session: Session
  /** From the word that named the session (W3). */
  readonly at: string | undefined
}

/** The folder that holds `.steadfold`. */
export function workspaceDir(named: string | undefined, cwd: string): string {
  if (named === undefined) return nearest(cwd)
  const given = path.resolve(cwd, named)
  const dir = path.basename(given) === FOLDER ? path.dirname(given) : given
  if (holdsWorkspace(dir)) return dir
  const isFile = fs.existsSync(dir) && !fs.statSync(dir).isDirectory()
  throw new EngineError('WORKSPACE_NOT_FOUND', `there is no workspace in ${dir}${isFile ? ', which is a file' : ''}`, {
    hint: isFile ? 'name the folder that holds .steadfold: --dir DIR' : `steadfold init --dir ${quoted(dir)}`,
  })
}

function nearest(cwd: string): string {
  const found = nearestWorkspace(cwd)
  if (found !== undefined) return found
  const main = inMain(cwd)
  const beside = main === undefined ? '' : `, nor in the main checkout of this worktree, ${main}`
  throw new EngineError('WORKSPACE_NOT_FOUND', `there is no workspace in ${cwd} or above it${beside}`, {
    hint: 'steadfold init',
  })
}

export async function chooseSession(workspace: Workspace, named: string | undefined, use: Use): Promise<Chosen> {
  try {
    return await chosenFrom(workspace, named, use)
  } catch (error) {
    throw await orArchived(workspace, named, error)
  }
}

async function chosenFrom(workspace: Workspace, named: string | undefined, use: Use): Promise<Chosen> {
  if (named === undefined) return { session: await onlyOne(workspace, use), at: undefined }
  if (use === 'remove') return { session: await exact(workspace, named), at: undefined }
  const found = await orUndefined(workspace.session(named))
  if (found !== undefined) return { session: found, at: undefined }
  const cut = named.indexOf('@', 1)
  if (cut < 0 || use !== 'read') return { session: await workspace.session(named), at: undefined }
  return { session: await workspace.session(named.slice(0, cut)), at: pointOf(named.slice(cut + 1)) }
}

const pointOf = (text: string): string => (text === '' || /^-\d+$/.test(text) ? `@${text}` : text)

async function orUndefined(session: Promise<Session>): Promise<Session | undefined> {
  try {
    return await session
  } catch (error) {
    if (error instanceof EngineError && error.code === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}

async function exact(workspace: Workspace, named: string): Promise<Session> {
  const session = await workspace.session(named)
  // What is no beginning of its id is a name, as it is called or claimed for.
  if (!onlyBeginsWith(session, named)) return session
  throw new EngineError(
    'SESSION_NOT_FOUND',
    `"${named}" is the beginning of an id, and what removes takes a whole one`,
    {
      hint: `use ${nameOf(session)} or ${session.id}`,
    },
  )
}

interface Unread {
  readonly id: string
  readonly why: EngineError
}

async function onlyOne(workspace: Workspace, use: Use): Promise<Session> {
  const all: Session[] = []
  const unread: Unread[] = []
  const leftOut = (id: string, why: EngineError) => void unread.push({ id, why })
  for await (const session of workspace.sessions(undefined, leftOut)) all.push(session)
  const active = all.filter((session) => lifeOf(session) === 'active')
  const open = all.filter((session) => lifeOf(session) !== 'terminated')
  const fit = [active, open, unread.length > 0 ? [] : all].find(({ length }) => length > 0) ?? []
  const [first, ...others] = fit
  const [shut] = unread
  if (first === undefined)
    throw shut === undefined ? none() : unread.length === 1 ? notRead(shut) : severalFit([], unread)
  if (others.length === 0 && shut === undefined && (active.length > 0 || use !== 'remove')) return first
  throw severalFit(fit, unread, active.length)
}

const none = (): EngineError =>
  new EngineError('SESSION_NOT_FOUND', 'this workspace has no session yet', { hint: 'steadfold session create NAME' })

/** It alone may be meant. */
function notRead({ id, why: { code, message, hint, details } }: Unread): EngineError {
  const instead = 'name another: --session NAME'
  return new EngineError(code, `session ${id} may be meant: ${message}`, {
    hint: hint === undefined ? instead : `${hint}, or ${instead}`,
    details: { ...details, session: id },
  })
}

/** W1. */
function severalFit(sessions: readonly Session[], unread: readonly Unread[], active = 0): EngineError {
  const candidates = sessions.map((session) => ({
    id: session.id,
    name: nameOf(session),
    seq: session.seq,
    updated_at: session.updatedAt,
    status: statusOf(session),
  }))
  const shut = unread.map(({ id, why: { code, message } }) => ({ id, code, message }))
  const width = Math.max(...candidates.map(({ name }) => widthOf(name)))
  const lines = candidates.map(
    ({ id, name, seq, status }) =>
      `${padEnd(name, width)}  ${id}  seq ${seq}${status === 'damaged' ? ', damaged' : ''}`,
  )
  const how = active === 0 ? 'none is active' : active === 1 ? '1 is active' : `${active} are active`
  const what = shut.length === 0 ? how : `${how}, ${shut.length} cannot be read`
  const message = [`which session? ${what}`, ...lines, ...shut.map((each) => `${each.id}  ${each.message}`)].join('\n')
  return new EngineError('SESSION_AMBIGUOUS', message, {
    hint: `add --session ${quoted(candidates[0]?.name ?? 'NAME')}, or set STEADFOLD_SESSION`,
    details: { candidates, ...(shut.length === 0 ? {} : { unread: shut }) },
  })
}

/** What it is listed as now. */
export const statusOf = (session: Session): string => statusAt(session, session.now())

/** Its state of life as it is now, damaged or not. */
export const lifeOf = (session: Session): string => lifeAt(session, session.now())
