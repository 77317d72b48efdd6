import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Paths below `dir`, files only, sorted. */
export function filesBelow(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(path.join(dir, name)).isFile()).toSorted()
}

/** Log segments below `dir`, in the order of the log. */
export const segmentsBelow = (dir: string): readonly string[] =>
  filesBelow(dir).filter((name) => name.endsWith('.jsonl'))

/** Redo files below `dir`: of writers at work, and of those that were killed. */
export const redoFilesBelow = (dir: string): readonly string[] =>
  filesBelow(dir).filter((name) => name.endsWith('.redo'))

/** A fresh copy of a store in `to`, with one file's bytes replaced. */
export function copyWith(from: string, to: string, file: string, bytes: Buffer): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  writeFileSync(path.join(to, file), bytes)
}

/** Where each line of a log ends, newline included. */
export function lineEnds(bytes: Buffer): readonly number[] {
  const ends: number[] = []
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends.push(at + 1)
  return ends
}
