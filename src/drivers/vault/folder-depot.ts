/** A folder, synced by anything or mounted: a file an object, whole before it has its name. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Depot, Item } from './depot.ts'
import { asFailure } from './failure.ts'
import { makeFolders } from './folders.ts'
import { put } from './put.ts'

export function folderDepot(root: string): Depot {
  if (fs.statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new EngineError('STORE_UNAVAILABLE', `there is no folder ${root}`, {
      hint: `is it mounted? if it is to begin there: mkdir ${quoted(root)}`,
    })
  return {
    what: root,
    list: async (prefix, after = '') => {
      const names = told(root, () => namesIn(path.join(root, prefix))).map((name) => `${prefix}${name}`)
      return names.filter((name) => name > after).sort()
    },
    get: async (name) => {
      const file = path.join(root, name)
      return told(root, () => unlessNone(() => fs.readFileSync(file)))
    },
    putNew: async (objects) => objects.map((object) => told(root, () => putIn(root, object))).at(-1) ?? true,
  }
}

/** What the disk says against it, as our own errors. */
function told<T>(root: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asFailure(error, `cannot use the place ${root}`)
  }
}

function putIn(root: string, { name, bytes }: Item): boolean {
  const file = path.join(root, name)
  makeFolders(path.dirname(file))
  return put(file, [bytes])
}

/** Plain files whose writers are done. */
const namesIn = (folder: string): readonly string[] =>
  (unlessNone(() => fs.readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)

/** What may not be looked at, or cannot be read at the moment, is not taken for nothing. */
function unlessNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
