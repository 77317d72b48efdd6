import * as fs from 'node:fs'
import * as path from 'node:path'
import type { CheckpointStore } from '../../kernel/ports.ts'
import { readFile, replaceFile, syncFolder, TO_READ } from './durable.ts'
import type { Layout } from './layout.ts'
import type { SyncGauge } from './sync-gauge.ts'

const TEMPORARY = /^\.checkpoint\.json\.[0-9a-f]{16}\.tmp$/
/** No maker takes this long. */
const LEFT_MS = 3_600_000

export function fileCheckpoints(layout: Layout, gauge: SyncGauge): CheckpointStore {
  return {
    get: async (session) => readFile(layout.checkpoint(session)),
    latest: (session) => latestOf(layout.checkpoint(session)),
    begin: (session) => touch(layout.checkpoint(session)),
    put: async (session, bytes) => {
      removeLeft(layout.session(session))
      replaceFile(layout.checkpoint(session), bytes)
    },
    aside: (made) => gauge.beside(made),
    delete: async (session) => {
      fs.rmSync(layout.checkpoint(session), { force: true })
      syncFolder(layout.session(session))
    },
  }
}

/** Its first bytes say where it stands; whether the rest is whole is asked by whoever reads it. */
function latestOf(file: string): { readonly seq: number; readonly age: number } | undefined {
  try {
    const fd = fs.openSync(file, TO_READ)
    try {
      const head = Buffer.alloc(32)
      fs.readSync(fd, head, 0, head.length, 0)
      const seq = /^\{"v":1,"seq":(\d+),/.exec(head.toString('latin1'))?.[1]
      return seq === undefined ? undefined : { seq: Number(seq), age: Date.now() - fs.fstatSync(fd).mtimeMs }
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** Only the first of a session cannot be told of. */
function touch(file: string): void {
  const now = Date.now() / 1000
  try {
    fs.lutimesSync(file, now, now)
  } catch {
    // Then others make one, too.
  }
}

/** A maker that was killed leaves its copy, as large as the state; nobody else knows its name. */
function removeLeft(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((each) => TEMPORARY.test(each))) {
    const file = path.join(folder, name)
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFT_MS) fs.rmSync(file, { force: true })
  }
}
