/* D3 of stores.ts. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { membersOf } from '../../../kernel/json/members.ts'
import { errnoOf } from '../../../kernel/system-error.ts'
import { textAt } from '../show/view.ts'
import type { Finding } from './finding.ts'

interface Known {
  readonly id: string
  readonly file: string
}

/** `registry`: a folder of files that running programs leave, each with a pid and the id of its session. */
export function openTwice(sessions: readonly Known[], registry: string | undefined): readonly Finding[] {
  const holders = new Map<string, Set<number>>()
  const hold = (id: string, pid: number) => holders.set(id, (holders.get(id) ?? new Set()).add(pid))
  for (const { id, pid } of registered(registry)) hold(id, pid)
  const byId = new Map(sessions.map(({ id, file }) => [id, file]))
  for (const { pid, words } of commandLines()) for (const id of new Set(words)) if (byId.has(id)) hold(id, pid)
  return [...holders].flatMap(([session, pids]) => {
    const file = byId.get(session)
    const apart = [...pids].filter((pid) => !pids.has(parentOf(pid)))
    if (file === undefined || apart.length < 2) return []
    const detail = `open in ${apart.length} processes: ${apart.toSorted((a, b) => a - b).join(', ')}`
    return [{ kind: 'twice' as const, session, file, detail }]
  })
}

function registered(folder: string | undefined): readonly { readonly id: string; readonly pid: number }[] {
  if (folder === undefined) return []
  return read(() => fs.readdirSync(folder), []).flatMap((name) => {
    if (!name.endsWith('.json')) return []
    const entry = read(() => membersOf(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))), {})
    const [pid, id] = [entry['pid'], textAt(entry['sessionId'])]
    return typeof pid === 'number' && id !== null && lives(pid) ? [{ id, pid }] : []
  })
}

/** Only programs of agents: what merely names a session does not hold it. */
function commandLines(): readonly { readonly pid: number; readonly words: readonly string[] }[] {
  const pids = read(() => fs.readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name))
  return pids.flatMap((name) => {
    const words = read(() => fs.readFileSync(`/proc/${name}/cmdline`, 'utf8'), '').split('\0')
    const program = words.slice(0, 2).map((word) => path.basename(word))
    return program.some((each) => /^(claude|codex|opencode)$/.test(each)) ? [{ pid: Number(name), words }] : []
  })
}

/** A program and the one that it wraps hold the same session once. */
const parentOf = (pid: number): number =>
  Number(
    read(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
      .replace(/^.*\) /s, '')
      .split(' ')[1],
  )

function lives(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

function read<T>(ask: () => T, otherwise: T): T {
  try {
    return ask()
  } catch {
    return otherwise
  }
}
