/*
 * The stores in which agent CLIs keep their sessions, looked at and never written.
 *
 * D1. Nothing is opened for writing, no link is followed, and what is no plain file is passed over.
 * D2. The end of every file is read; the newest are read whole, up to a limit.
 * D3. A session is open twice when two living processes say so, or hold it on their command lines.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { membersOf } from '../../../kernel/json/members.ts'
import type { Context } from '../context/context.ts'
import { homeFolder } from '../context/home.ts'
import { realOf } from '../context/real-path.ts'
import { textAt } from '../show/view.ts'
import { lookAtDatabases } from './databases.ts'
import type { Finding, StoreReport, Store } from './finding.ts'
import { openTwice } from './open-twice.ts'
import { statOf } from './stat.ts'

const MOST_FILES = 20_000
const WHOLE_FILES = 200
const WHOLE_BYTES = 20_000_000
const TAIL_BYTES = 256 * 1024
const DAY_MS = 86_400_000
const SOON_DAYS = 3
const KEPT_DAYS = 30

interface Session {
  readonly file: string
  readonly id: string
  readonly size: number
  readonly mtimeMs: number
  /** Read whole; undefined where only the end was. */
  readonly lines: readonly unknown[] | undefined
  readonly torn: boolean
}

/** Only those that are there. */
export function lookAtStores({ env }: Pick<Context, 'env'>, now: number): readonly StoreReport[] {
  const home = homeFolder(env)
  const named = (name: string) => ((env[name] ?? '') === '' ? undefined : env[name])
  const claude = named('CLAUDE_CONFIG_DIR') ?? path.join(home, '.claude')
  const codex = named('CODEX_HOME') ?? path.join(home, '.codex')
  const data =
    named('OPENCODE_DATA_DIR') ?? path.join(named('XDG_DATA_HOME') ?? path.join(home, '.local/share'), 'opencode')
  return [
    ...report('claude', path.join(claude, 'projects'), /\.jsonl$/, (sessions) => [
      ...sessions.flatMap(claudeParents),
      ...sessions.flatMap((session) => dueToGo(session, keptDays(claude), now)),
      ...openTwice(sessions, path.join(claude, 'sessions')),
    ]),
    ...report('codex', path.join(codex, 'sessions'), /^rollout-.*\.jsonl$/, (sessions) => [
      ...codexParents(sessions, putAway(codex)),
      ...openTwice(sessions, undefined),
    ]),
    ...report('opencode', path.join(data, 'storage/session'), /^ses_.*\.json$/, (sessions) => [
      ...opencodeParents(sessions),
      ...openTwice(sessions, undefined),
    ]),
    ...lookAtDatabases(data, named('OPENCODE_DB')),
  ]
}

function report(
  store: Store,
  root: string,
  pattern: RegExp,
  find: (sessions: readonly Session[]) => readonly Finding[],
): readonly StoreReport[] {
  if (statOf(root)?.isDirectory() !== true) return []
  const files = [...plainFiles(root, pattern, 4)].toSorted((a, b) => b.mtimeMs - a.mtimeMs)
  const sessions = files.map(({ file, size, mtimeMs }, at): Session => {
    const isWhole = at < WHOLE_FILES && size <= WHOLE_BYTES
    return { file, size, mtimeMs, id: idOf(store, file), ...readSession(file, size, isWhole) }
  })
  const torn = sessions
    .filter((session) => session.torn)
    .map(({ file, id: session, size }): Finding => ({
      kind: 'torn',
      session,
      file,
      detail: `its last line is torn, at the end of ${size} bytes`,
    }))
  const whole = sessions.filter(({ lines }) => lines !== undefined).length
  const findings = [...torn, ...find(sessions)]
  const counted = { files: sessions.map(({ file }) => file), sessions: sessions.length, whole }
  return [{ store, name: `${store} store`, root, ...counted, findings }]
}

interface PlainFile {
  readonly file: string
  readonly size: number
  readonly mtimeMs: number
}

/** D1 */
function* plainFiles(
  folder: string,
  pattern: RegExp,
  depth: number,
  counter = { left: MOST_FILES },
): Generator<PlainFile> {
  for (const entry of readFolder(folder)) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) yield* plainFiles(file, pattern, depth - 1, counter)
    if (!entry.isFile() || !pattern.test(entry.name) || counter.left-- <= 0) continue
    const stat = statOf(file)
    if (stat?.isFile() === true) yield { file, size: stat.size, mtimeMs: stat.mtimeMs }
  }
}

function readFolder(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** D2 */
function readSession(file: string, size: number, isWhole: boolean): Pick<Session, 'lines' | 'torn'> {
  const text = tailOf(file, size, isWhole ? size : TAIL_BYTES)
  if (text === undefined) return { lines: undefined, torn: false }
  if (file.endsWith('.json')) return { lines: isWhole ? [parsed(text)] : undefined, torn: parsed(text) === undefined }
  const lines = text.split('\n')
  const last = lines.findLast((line) => line !== '') ?? ''
  // A longer last line was not read from its beginning.
  const torn = last !== '' && parsed(last) === undefined && (isWhole || last.length < text.length)
  return { lines: isWhole ? lines.filter((line) => line !== '').map(parsed) : undefined, torn }
}

function tailOf(file: string, size: number, length: number): string | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(Math.min(size, length))
      const read = fs.readSync(fd, buffer, 0, buffer.length, Math.max(0, size - length))
      return buffer.toString('utf8', 0, read)
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function idOf(store: Store, file: string): string {
  const name = path.basename(file).replace(/\.jsonl?$/, '')
  return store === 'codex' ? (/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name) : name
}

/** Lines name the line before them; a line whose parent is missing cuts off all that stands before. */
function claudeParents({ file, id, lines }: Session): readonly Finding[] {
  const all = (lines ?? []).map(membersOf)
  const known = new Set(all.map((line) => textAt(line['uuid'])))
  const lost = all.filter((line) => textAt(line['parentUuid']) !== null && !known.has(textAt(line['parentUuid'])))
  if (lost.length === 0) return []
  return [{ kind: 'parent', session: id, file, detail: `${lost.length} lines whose parent is not there` }]
}

/** What Codex has archived or compressed is there, though it is not read. */
function putAway(codex: string): readonly string[] {
  const files = [
    ...plainFiles(path.join(codex, 'archived_sessions'), /^rollout-.*\.jsonl(\.zst)?$/, 4),
    ...plainFiles(path.join(codex, 'sessions'), /^rollout-.*\.jsonl\.zst$/, 4),
  ]
  return files.map(({ file }) => idOf('codex', file.replace(/\.zst$/, '')))
}

function codexParents(sessions: readonly Session[], others: readonly string[]): readonly Finding[] {
  const known = new Set([...sessions.map(({ id }) => id), ...others])
  return sessions.flatMap(({ file, id, lines }) => {
    const meta = membersOf(
      membersOf((lines ?? []).find((line) => membersOf(line)['type'] === 'session_meta'))['payload'],
    )
    const parent = textAt(meta['forked_from_id']) ?? textAt(meta['parent_thread_id'])
    if (parent === null || known.has(parent)) return []
    return [{ kind: 'parent' as const, session: id, file, detail: `its parent ${parent} is not there` }]
  })
}

function opencodeParents(sessions: readonly Session[]): readonly Finding[] {
  const known = new Set(sessions.map(({ id }) => id))
  return sessions.flatMap(({ file, id, lines }) => {
    const parent = textAt(membersOf(lines?.[0])['parentID'])
    if (parent === null || known.has(parent)) return []
    return [{ kind: 'parent' as const, session: id, file, detail: `its parent ${parent} is not there` }]
  })
}

/** Claude Code deletes transcripts by age when it starts. */
function dueToGo({ file, id, mtimeMs }: Session, days: number, now: number): readonly Finding[] {
  const left = Math.ceil((mtimeMs - now) / DAY_MS + days)
  if (left > SOON_DAYS) return []
  const when = left <= 0 ? 'at the next start' : `in ${left} days`
  return [{ kind: 'old', session: id, file, detail: `it is deleted ${when}, after ${days} days without a change` }]
}

/** Settings may be a link, as to a folder of dotfiles: Claude Code follows it. */
function keptDays(claude: string): number {
  const file = realOf(path.join(claude, 'settings.json'))
  const size = statOf(file)?.size ?? 0
  const text = tailOf(file, size, WHOLE_BYTES)
  const days = membersOf(text === undefined ? undefined : parsed(text))['cleanupPeriodDays']
  return typeof days === 'number' && days >= 0 ? days : KEPT_DAYS
}
