import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Cut } from '../../kernel/ports.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { isRealFolder, isTemporary, makeFolder, readFile, replaceFile, syncFile, syncFolder } from './durable.ts'
import { asFailure } from './failure.ts'
import { segmentName, type Layout } from './layout.ts'
import { redoFiles } from './redo-file.ts'

const CUT = 'cut.json'

/**
 * Keeps what is damaged in `damaged/<time>/`, then cuts the log at byte `offset` of `segment`. Killed anywhere, the log is
 * still damaged, and the next repair goes on, or it is sound, and `cut.json` says why until a commit does.
 */
export function cutLog(
  layout: Layout,
  session: string,
  from: { readonly segment: number; readonly offset: number },
  why?: Pick<Cut, 'seq' | 'reason'>,
): readonly string[] {
  try {
    const aside = path.join(damagedIn(layout, session), new Date().toISOString().replaceAll(':', '-'))
    makeFolder(path.dirname(aside))
    makeFolder(aside)
    if (why !== undefined)
      replaceFile(path.join(aside, CUT), `${JSON.stringify({ seq: why.seq, reason: why.reason })}\n`)
    const kept: string[] = []
    const segment = layout.segment(session, from.segment)
    const damaged = readFile(segment)
    if (damaged !== undefined) {
      // The redo files go before it is cut: what they alone hold would be lost with the power.
      syncFile(segment)
      kept.push(keepOpen(segment, aside, damaged))
    }
    const checkpoint = readFile(layout.checkpoint(session))
    if (checkpoint !== undefined) kept.push(keep(aside, 'checkpoint.json', checkpoint))
    kept.push(...moveRedo(layout.redo(session), aside))
    for (const first of layout
      .segments(session)
      .filter((each) => each > from.segment)
      .reverse()) {
      kept.push(move(layout.segment(session, first), path.join(aside, segmentName(first))))
    }
    if (damaged !== undefined) replaceFile(segment, damaged.subarray(0, from.offset))
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

/** The file itself, where it may have two names: what a writer who has it open adds meanwhile is in it, too. */
function keepOpen(segment: string, aside: string, bytes: Buffer): string {
  const file = path.join(aside, path.basename(segment))
  try {
    fs.linkSync(segment, file)
    return file
  } catch {
    return keep(aside, path.basename(segment), bytes)
  }
}

function move(from: string, to: string): string {
  fs.renameSync(from, to)
  return to
}

/** What a power cut takes of the log that is cut here must not come back behind what will stand in it. */
function moveRedo(folder: string, aside: string): readonly string[] {
  if (!isRealFolder(folder)) return []
  const kept = redoFiles(folder).flatMap((file) => {
    try {
      return [move(file, path.join(aside, path.basename(file)))]
    } catch (error) {
      // Its writer has given it up meanwhile.
      if (errnoOf(error) === 'ENOENT') return []
      throw error
    }
  })
  syncFolder(folder)
  return kept
}

export function untoldCuts(layout: Layout, session: string): readonly Cut[] {
  const damaged = damagedIn(layout, session)
  const ids = isRealFolder(damaged) ? fs.readdirSync(damaged).sort() : []
  return ids.flatMap((id) => {
    const folder = path.join(damaged, id)
    const why = whyOf(readFile(path.join(folder, CUT)))
    if (why === undefined) return []
    const names = fs.readdirSync(folder).filter((name) => name !== CUT && !isTemporary(name))
    return [{ id, ...why, aside: names.sort().map((name) => path.join(folder, name)) }]
  })
}

/** Undefined where there is none, or where it is damaged itself: that must not keep a log from being repaired. */
function whyOf(bytes: Buffer | undefined): Pick<Cut, 'seq' | 'reason'> | undefined {
  try {
    // As `cutLog` wrote it.
    return bytes && (JSON.parse(bytes.toString('utf8')) as Pick<Cut, 'seq' | 'reason'>)
  } catch {
    return undefined
  }
}

export function cutTold(layout: Layout, session: string, { id }: Cut): void {
  const folder = path.join(damagedIn(layout, session), id)
  fs.rmSync(path.join(folder, CUT), { force: true })
  syncFolder(folder)
}

const damagedIn = (layout: Layout, session: string): string => path.join(layout.session(session), 'damaged')
