/*
 * The disk states a power cut could leave behind, from a trace of what a program did.
 *
 *   file    what was written before its last sync is safe; the rest may be absent, there, zeros of the right
 *           length (seen on ext4), cut at any byte or sector, or there page by page
 *   folder  names made, renamed or removed since its last sync may be there or not, in order, apart from the
 *           data of the file (a new name with an empty file was seen on xfs)
 *   A file is reachable when every folder above it is.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Op } from './trace.ts'

export type DataFate = 'none' | 'all' | 'zeros' | 'torn' | 'sector' | 'pages'
export type NameFate = 'none' | 'all' | 'some'

const PAGE = 4096

interface Change {
  readonly index: number
  readonly at: number | 'end' | 'size'
  readonly data: Buffer
  readonly size: number
}

interface File {
  readonly kind: 'file'
  readonly safe: Change[]
  pending: Change[]
}

interface Naming {
  readonly index: number
  readonly name: string
  /** Undefined: the name is removed. */
  readonly node: Node | undefined
  /** A rename also takes this name away, in one transaction. */
  readonly leaves?: { readonly folder: Folder; readonly name: string }
}

interface Folder {
  readonly kind: 'folder'
  readonly live: Map<string, Node>
  readonly safe: Naming[]
  pending: Naming[]
}

type Node = File | Folder

const newFile = (): File => ({ kind: 'file', safe: [], pending: [] })
const newFolder = (): Folder => ({ kind: 'folder', live: new Map(), safe: [], pending: [] })

/** What the disk and its caches hold after the first `upTo` ops below `dir`. */
export function replay(ops: readonly Op[], upTo: number, dir: string): Folder {
  const disk = { root: newFolder(), dir }
  ops.slice(0, upTo).forEach((op, index) => {
    if (op.kind !== 'say') apply(disk, op, index)
  })
  return disk.root
}

interface Disk {
  readonly root: Folder
  readonly dir: string
}

function apply(disk: Disk, op: Exclude<Op, { kind: 'say' }>, index: number): void {
  const node = find(disk, op.path)
  if (op.kind === 'make' && node === undefined)
    name(disk, op.path, { index, node: op.folder ? newFolder() : newFile() })
  if (op.kind === 'remove') name(disk, op.path, { index, node: undefined })
  if (op.kind === 'sync') sync(node, op.begun)
  if (op.kind === 'rename') rename(disk, op, index)
  if (op.kind === 'link' && node !== undefined) name(disk, op.to, { index, node })
  if (op.kind === 'write' && node?.kind === 'file') node.pending.push({ index, at: op.at, data: op.data, size: 0 })
  if (op.kind === 'cut' && node?.kind === 'file') {
    node.pending.push({ index, at: 'size', data: Buffer.alloc(0), size: op.size })
  }
}

function find({ root, dir }: Disk, target: string): Node | undefined {
  const parts = path.relative(dir, target).split('/')
  let node: Node | undefined = root
  for (const part of parts.filter((each) => each !== '')) {
    node = node?.kind === 'folder' ? node.live.get(part) : undefined
  }
  return node
}

function name(disk: Disk, target: string, what: Omit<Naming, 'name'>): void {
  const folder = find(disk, path.dirname(target))
  if (folder?.kind !== 'folder') return
  const naming = { ...what, name: path.basename(target) }
  setName(folder.live, naming)
  folder.pending.push(naming)
}

function setName(names: Map<string, Node>, { name: own, node }: Naming): void {
  if (node === undefined) names.delete(own)
  else names.set(own, node)
}

function rename(disk: Disk, { path: from, to }: { readonly path: string; readonly to: string }, index: number): void {
  const [node, folder] = [find(disk, from), find(disk, path.dirname(from))]
  if (node === undefined || folder?.kind !== 'folder') return
  folder.live.delete(path.basename(from))
  name(disk, to, { index, node, leaves: { folder, name: path.basename(from) } })
}

function sync(node: Node | undefined, begun: number): void {
  if (node === undefined) return
  if (node.kind === 'file') settle(node, begun)
  else settle(node, begun)
}

function settle<T extends { readonly index: number }>(node: { readonly safe: T[]; pending: T[] }, begun: number): void {
  node.safe.push(...node.pending.filter((change) => change.index < begun))
  node.pending = node.pending.filter((change) => change.index >= begun)
}

// ---- from what may survive to what did

export interface Fate {
  readonly data: DataFate
  readonly names: NameFate
  readonly random: () => number
}

/** Writes the state that `fate` makes of `root` into the empty folder `out`. */
export function materialise(root: Folder, fate: Fate, out: string): void {
  const kept = new Map<Folder, readonly Naming[]>()
  keepNames(root, fate, kept)
  const moves = [...kept].flatMap(([to, namings]) => namings.filter(({ leaves }) => leaves && leaves.folder !== to))
  const gone = (folder: Folder, own: string): boolean =>
    moves.some(({ leaves }) => leaves?.folder === folder && leaves.name === own)
  writeFolder(root, out, { fate, kept, gone })
}

function keepNames(folder: Folder, fate: Fate, kept: Map<Folder, readonly Naming[]>): void {
  if (kept.has(folder)) return
  const all = folder.pending.length
  const share = { none: 0, all, some: Math.floor(fate.random() * (all + 1)) }[fate.names]
  const namings = [...folder.safe, ...folder.pending.slice(0, share)]
  kept.set(folder, namings)
  for (const { node } of namings) if (node?.kind === 'folder') keepNames(node, fate, kept)
}

interface Survivors {
  readonly fate: Fate
  readonly kept: ReadonlyMap<Folder, readonly Naming[]>
  readonly gone: (folder: Folder, name: string) => boolean
}

function writeFolder(folder: Folder, out: string, survivors: Survivors): void {
  mkdirSync(out, { recursive: true, mode: 0o700 })
  const names = new Map<string, Node>()
  for (const naming of survivors.kept.get(folder) ?? []) {
    setName(names, naming)
    if (naming.leaves?.folder === folder) names.delete(naming.leaves.name)
  }
  for (const [own, node] of names) {
    if (survivors.gone(folder, own)) continue
    if (node.kind === 'folder') writeFolder(node, path.join(out, own), survivors)
    else writeFileSync(path.join(out, own), content(node, survivors.fate), { mode: 0o600 })
  }
}

function content(file: File, { data, random }: Fate): Buffer {
  let bytes: Buffer = Buffer.alloc(0)
  for (const change of file.safe) bytes = put(bytes, change, change.data)
  if (data === 'none') return bytes
  if (data === 'pages') return pageByPage(bytes, file.pending, random)
  file.pending.forEach((change, i) => {
    bytes = put(bytes, change, survive(change.data, i === file.pending.length - 1, data, random))
  })
  return bytes
}

function put(bytes: Buffer, { at, size }: Change, data: Buffer): Buffer {
  if (at === 'size') return Buffer.concat([bytes.subarray(0, size), Buffer.alloc(Math.max(0, size - bytes.length))])
  const from = at === 'end' ? bytes.length : at
  const grown = Buffer.alloc(Math.max(bytes.length, from + data.length))
  bytes.copy(grown)
  data.copy(grown, from)
  return grown
}

function survive(data: Buffer, last: boolean, fate: DataFate, random: () => number): Buffer {
  if (fate === 'zeros') return Buffer.alloc(data.length)
  if (fate === 'torn' && last) return data.subarray(0, Math.floor(random() * data.length))
  if (fate === 'sector' && last) return zeroed(data, (at) => at < Math.floor(data.length / 1024) * 512)
  return data
}

/** Of the pages of the file that were written since its last sync some are there, others are as they were, or zeros. */
function pageByPage(safe: Buffer, pending: readonly Change[], random: () => number): Buffer {
  let bytes = safe
  for (const change of pending) bytes = put(bytes, change, change.data)
  const before = Buffer.alloc(bytes.length)
  safe.copy(before)
  for (let from = 0; from < bytes.length; from += PAGE) if (random() < 0.5) before.copy(bytes, from, from, from + PAGE)
  return bytes
}

const zeroed = (data: Buffer, keep: (at: number) => boolean): Buffer =>
  Buffer.from(data.map((byte, at) => (keep(at) ? byte : 0)))
