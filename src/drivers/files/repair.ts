import * as fs from 'node:fs'
import * as path from 'node:path'
import { makeFolder, readFile, replaceFile, syncFolder } from './durable.ts'
import { asFailure } from './failure.ts'
import { segmentName, type Layout } from './layout.ts'

/**
 * Keeps what is damaged in `damaged/<time>/`, then cuts the log at byte `offset` of `segment`.
 * Killed in between, the log is still damaged, and the next repair goes on.
 */
export function cutLog(
  layout: Layout,
  session: string,
  from: { readonly segment: number; readonly offset: number },
): readonly string[] {
  try {
    const aside = path.join(layout.session(session), 'damaged', new Date().toISOString().replaceAll(':', '-'))
    makeFolder(path.dirname(aside))
    makeFolder(aside)
    const kept: string[] = []
    const damaged = readFile(layout.segment(session, from.segment))
    if (damaged !== undefined) kept.push(keep(aside, segmentName(from.segment), damaged))
    const checkpoint = readFile(layout.checkpoint(session))
    if (checkpoint !== undefined) kept.push(keep(aside, 'checkpoint.json', checkpoint))
    for (const first of layout
      .segments(session)
      .filter((each) => each > from.segment)
      .reverse()) {
      kept.push(move(layout.segment(session, first), path.join(aside, segmentName(first))))
    }
    if (damaged !== undefined) replaceFile(layout.segment(session, from.segment), damaged.subarray(0, from.offset))
    fs.rmSync(layout.checkpoint(session), { force: true })
    for (const folder of [layout.log(session), layout.session(session), aside]) syncFolder(folder)
    return kept
  } catch (error) {
    throw asFailure(error, `cannot repair session ${session}`)
  }
}

function keep(folder: string, name: string, bytes: Buffer): string {
  const file = path.join(folder, name)
  replaceFile(file, bytes)
  return file
}

function move(from: string, to: string): string {
  fs.renameSync(from, to)
  return to
}
