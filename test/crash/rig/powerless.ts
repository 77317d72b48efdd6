import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { unnamedAtAck } from './order.ts'
import type { Op } from './trace.ts'

/*
 * What a power cut would leave after a run under the shim, from the shim's log:
 *   bytes that a failed sync covered are gone for good, also when a later sync answered well: the kernel marks
 *   pages clean when it reports the error, and never writes them again
 *   (`unnamed` tells of acknowledgements that came before the sync of a name)
 *   bytes behind the last good sync are gone, and so are names whose folder was not synced since they were made
 */
export function dropPower(log: string): { readonly hits: number; readonly unnamed: readonly string[] } {
  const notes = readNotes(log)
  const files = new Map<string, Covered>()
  const unsafe = new Set<string>()
  for (const note of notes) {
    if (note.what === 'make') unsafe.add(note.path)
    if (note.what === 'drop') unsafe.delete(note.path)
    if (note.what === 'sync') cover(files, note)
    if (note.what === 'sync' && note.how === 'done') {
      for (const made of unsafe) if (path.dirname(made) === note.path) unsafe.delete(made)
    }
  }
  for (const [file, covered] of files) forget(file, covered)
  for (const made of unsafe) rmSync(made, { recursive: true, force: true })
  return { hits: notes.filter((note) => note.what === 'hit').length, unnamed: unnamedAtAck(opsOf(notes)) }
}

export interface Note {
  readonly what: string
  readonly how: string
  readonly size: number
  readonly path: string
}

/** The notes as a trace; a sync that failed made nothing safe. */
function opsOf(notes: readonly Note[]): readonly Op[] {
  return notes.flatMap(({ what, how, path: target }, index): Op[] => {
    if (what === 'make') return [{ kind: 'make', path: target, folder: false }]
    if (what === 'say') return [{ kind: 'say', word: how, id: target }]
    return what === 'sync' && how === 'done' ? [{ kind: 'sync', path: target, begun: index }] : []
  })
}

interface Covered {
  safe: number
  readonly lost: (readonly [from: number, to: number])[]
}

/** What the shim wrote down, in order. */
function readNotes(log: string): readonly Note[] {
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [what = '', how = '', size = '', ...rest] = line.split(' ')
      return { what, how, size: Number(size), path: rest.join(' ') }
    })
}

function cover(files: Map<string, Covered>, { how, size, path: file }: Note): void {
  const covered = files.get(file) ?? { safe: 0, lost: [] }
  if (how === 'failed') covered.lost.push([covered.safe, size])
  covered.safe = Math.max(covered.safe, size)
  files.set(file, covered)
}

/** The bytes read back as zeros: the size was in the journal, the data was not. */
function forget(file: string, { safe, lost }: Covered): void {
  if (!existsSync(file) || !statSync(file).isFile()) return
  const handle = openSync(file, 'r+')
  for (const [from, to] of [...lost, [safe, statSync(file).size] as const]) {
    if (to > from) writeSync(handle, Buffer.alloc(to - from), 0, to - from, from)
  }
  closeSync(handle)
}
