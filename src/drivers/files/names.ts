import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Host, NameClaim, NameStore } from '../../kernel/ports.ts'
import { isRealFolder, PRIVATE_FILE, PRIVATE_FOLDER, readFile, temporaryName } from './durable.ts'
import { asFailure, errnoOf } from './failure.ts'
import type { Layout } from './layout.ts'

/** `names/<name>/<generation>` holds the id of a session. The highest counts; the next is made by whoever is first. */
export function fileNames(layout: Layout, sha256: Host['sha256']): NameStore {
  const folderOf = (name: string) => path.join(layout.root, 'names', keyOf(name, sha256))
  return {
    holder: async (name) => (isRealFolder(path.join(layout.root, 'names')) ? latest(folderOf(name)) : undefined),
    claim: async (name, id, after) => {
      const folder = folderOf(name)
      try {
        for (const each of [path.dirname(folder), folder]) if (!isRealFolder(each)) make(each)
        return put(folder, after + 1, id)
      } catch (error) {
        throw asFailure(error, `cannot claim the name ${JSON.stringify(name)}`)
      }
    },
  }
}

/** Other than `.` and `..` whatever the name is; unusual ones go by their hash. */
const keyOf = (name: string, sha256: Host['sha256']): string =>
  /^[\w.-]{1,200}$/.test(name) ? `n-${name}` : `h-${sha256(name)}`

function make(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_FOLDER })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}

const generations = (folder: string): readonly number[] =>
  isRealFolder(folder)
    ? fs
        .readdirSync(folder)
        .filter((name) => /^\d{1,15}$/.test(name))
        .map(Number)
    : []

function latest(folder: string): NameClaim | undefined {
  for (;;) {
    const generation = Math.max(0, ...generations(folder))
    if (generation === 0) return undefined
    const id = readFile(path.join(folder, String(generation)))?.toString('utf8')
    // A later one was put before this one was cleared away.
    if (id !== undefined) return { id, generation }
  }
}

/** Whole before it has its name, and only if nobody else has put that generation. What it replaces is cleared away. */
function put(folder: string, generation: number, id: string): boolean {
  const file = path.join(folder, String(generation))
  const temporary = temporaryName(file)
  fs.writeFileSync(temporary, id, { mode: PRIVATE_FILE, flag: 'wx' })
  try {
    fs.linkSync(temporary, file)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  const others = generations(folder).filter((each) => each !== generation)
  const late = others.some((each) => each > generation)
  // One that was cleared away could be put again by somebody who looked before.
  for (const old of late ? [generation] : others) fs.rmSync(path.join(folder, String(old)), { force: true })
  return !late
}
