import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { makeFolder } from '../../src/drivers/files/durable.ts'
import { FilesLog } from '../../src/drivers/files/files.ts'
import { host } from '../../src/drivers/host/host.ts'
import { Batch } from '../../src/kernel/log/batch.ts'
import { SEAL_EVENT, SEAL_OP, type Draft } from '../../src/kernel/log/commit.ts'
import { lineText, wordsOf } from '../../src/kernel/log/line.ts'
import type { Encoded, Host, Lines, Log } from '../../src/kernel/ports.ts'

export const sha256 = host.sha256

export interface Line extends Encoded {
  readonly line: string
}

/** A line as a writer would make it. */
export function line(seq: number, prev: string, value: unknown = seq, op = 'test.put'): Line {
  const events =
    op === SEAL_OP ? [{ type: SEAL_EVENT, data: {} }] : [{ type: 'data.set', data: { path: '$.data.value', value } }]
  const draft: Draft = {
    seq,
    at: new Date(1_760_000_000_000 + seq).toISOString(),
    id: `id-${seq}`,
    actor: 'tool:test',
    op,
    cause: null,
    events,
  }
  return lineOf(draft, prev)
}

export function lineOf(draft: Draft, prev: string): Line {
  const batch = new Batch(sha256)
  const encoded = batch.add(draft, lineText(draft, wordsOf(draft), prev))
  if (encoded === undefined) throw new Error('there is no limit')
  return { ...encoded, line: batch.bytes.toString() }
}

/** As one append takes them. */
export function together(...lines: readonly Line[]): Lines {
  const bytes = Buffer.from(lines.map((each) => each.line).join(''))
  let end = 0
  return { bytes, lines: lines.map((each) => ({ ...each, end: (end += each.end) })) }
}

/** Lines that follow each other. */
export function chainOf(
  count: number,
  from: { readonly seq: number; readonly hash: string },
  tag = '',
): readonly Line[] {
  const lines: Line[] = []
  let { seq, hash } = from
  for (let i = 0; i < count; i++) {
    const next = line(++seq, hash, `${tag}${seq}`)
    lines.push(next)
    hash = next.hash
  }
  return lines
}

export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-'))
}

/** A host whose clock and ids are numbers that count. */
export function fixedHost(start = Date.UTC(2026, 0, 1)): Host & { now: () => number; advance: (ms: number) => void } {
  let now = start
  let ids = 0
  return {
    ...host,
    now: () => now,
    newId: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
    random: () => 0,
    sleep: () => Promise.resolve(),
    advance: (ms) => {
      now += ms
    },
  }
}

/** A log with some of its methods replaced. */
export function overriding(log: Log, methods: Partial<Log>): Log {
  return new Proxy(log, {
    get: (target, name) => {
      const member: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** A files store in a folder of its own, with an empty log `s`. */
export async function filesLog(): Promise<{ readonly root: string; readonly log: FilesLog }> {
  const root = path.join(temporaryFolder(), '.steadfold')
  makeFolder(root)
  const log = new FilesLog(root, sha256)
  await log.create('s')
  return { root, log }
}
