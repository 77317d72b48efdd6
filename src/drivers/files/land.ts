import * as fs from 'node:fs'
import * as path from 'node:path'
import { notFound, sessionThere } from '../../kernel/names.ts'
import type { Landed } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import {
  discard,
  isRealFolder,
  makeFolder,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  syncFolder,
  temporaryName,
} from './durable.ts'
import { asFailure } from './failure.ts'
import type { Layout } from './layout.ts'

/**
 * A session from elsewhere, whole and synced under another name, then by one rename. Killed anywhere, it is there or it
 * is not; what is left of it is a temporary folder, which gc takes away.
 */
export async function landSession(
  layout: Layout,
  id: string,
  files: AsyncIterable<Landed>,
): Promise<readonly string[]> {
  const to = layout.session(id)
  const beside: string[] = []
  const temporary = temporaryName(to)
  makeFolder(layout.sessions)
  if (isRealFolder(to)) throw sessionThere(id)
  try {
    fs.mkdirSync(temporary, { mode: PRIVATE_FOLDER })
    makeFolder(path.join(temporary, 'log'))
    for await (const file of files) {
      await write(temporary, file)
      if (!/^(?:log|blobs)\//.test(file.path)) beside.push(path.join(to, ...file.path.split('/')))
    }
    fs.renameSync(temporary, to)
    syncFolder(layout.sessions)
    return beside
  } catch (error) {
    discard(temporary)
    if (errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST') throw sessionThere(id)
    throw asFailure(error, `cannot take in session ${id}`)
  }
}

export async function keepBeside(layout: Layout, id: string, landed: Landed): Promise<string> {
  if (!layout.holds(id)) throw notFound(id)
  return keepIn(layout.session(id), landed)
}

/** Whole before it has its name. */
export async function keepIn(folder: string, { path: name, chunks }: Landed): Promise<string> {
  const file = path.join(folder, ...name.split('/'))
  const temporary = path.basename(temporaryName(file))
  try {
    await write(folder, { path: [...name.split('/').slice(0, -1), temporary].join('/'), chunks })
    fs.renameSync(path.join(path.dirname(file), temporary), file)
    syncFolder(path.dirname(file))
  } catch (error) {
    discard(path.join(path.dirname(file), temporary))
    throw asFailure(error, `cannot write ${file}`)
  }
  return file
}

async function write(root: string, { path: name, chunks }: Landed): Promise<void> {
  const [last = '', ...above] = name.split('/').toReversed()
  let folder = root
  for (const part of above.toReversed()) {
    folder = path.join(folder, part)
    makeFolder(folder)
  }
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants
  const fd = fs.openSync(path.join(folder, last), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE)
  try {
    for await (const chunk of chunks) for (let done = 0; done < chunk.length;) done += fs.writeSync(fd, chunk, done)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
  syncFolder(folder)
}
