import * as fs from 'node:fs'
import * as path from 'node:path'
import { isRealFolder, namesIn, readFile } from './durable.ts'

/** Of a `.facts` file: which fact it began with, how far it was taken, and how long it was then. */
export interface Mark {
  readonly first: string
  readonly offset: number
  readonly size: number
}

/** A writer that was silent for this long has closed its file: it opens it anew for each fact. */
export const SILENT_MS = 60_000
const ONE_FACT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,240}\.fact$/
const MANY_FACTS = /^[A-Za-z0-9][A-Za-z0-9._-]{0,240}\.facts$/
const MARK = /^(\d{1,15}) (\d{1,15}) (\d{1,15})\n$/

/** Whether a take would find something to do; asked by every command, so it is cheap. */
export function spoolWaits(root: string, now: number): boolean {
  const folder = path.join(root, 'spool')
  const { one, many } = spooled(folder)
  return one.length > 0 || many.some((file) => hasNews(path.join(folder, file), now))
}

/** Names of files with one fact, and with many. */
export function spooled(folder: string): { readonly one: readonly string[]; readonly many: readonly string[] } {
  const names = isRealFolder(folder) ? namesIn(folder) : []
  return { one: names.filter((name) => ONE_FACT.test(name)), many: names.filter((name) => MANY_FACTS.test(name)) }
}

/** Bytes that were not there at the last take, or a file that can be put away. */
function hasNews(file: string, now: number): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return false
  const mark = readMark(file)
  return stat.size !== mark?.size || now - stat.mtimeMs > (mark.offset === mark.size ? SILENT_MS : 86_400_000)
}

export const markOf = (file: string): string => `${file}.taken`

/** Undefined when nothing was taken, or the mark cannot be relied on: facts that are taken twice add nothing (L7). */
export function readMark(file: string): Mark | undefined {
  const [, first, offset, size] = MARK.exec(readFile(markOf(file))?.toString('latin1') ?? '') ?? []
  return first === undefined ? undefined : { first, offset: Number(offset), size: Number(size) }
}
