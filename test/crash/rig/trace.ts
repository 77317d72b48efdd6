import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { program, programEnv } from './plan.ts'

/** One change of the disk, or one word a program said, in the order in which they were done. */
export type Op =
  | { readonly kind: 'say'; readonly word: string; readonly id: string }
  | { readonly kind: 'make'; readonly path: string; readonly folder: boolean }
  | { readonly kind: 'write'; readonly path: string; readonly at: number | 'end'; readonly data: Buffer }
  | { readonly kind: 'cut'; readonly path: string; readonly size: number }
  /** `begun`: how many ops were done when the sync began; later ones are not covered by it. */
  | { readonly kind: 'sync'; readonly path: string; readonly begun: number }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }

const CALLS =
  'openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,rename,renameat,renameat2,link,linkat,' +
  'unlink,unlinkat,rmdir,mkdir,mkdirat,ftruncate,truncate,fallocate,copy_file_range'

/** Runs a program under strace and answers what it did below `dir`. */
export function traceProgram(
  name: string,
  store: string,
  dir: string,
  env: Readonly<Record<string, string>> = {},
): readonly Op[] {
  const file = `${dir}.trace`
  mkdirSync(dir, { recursive: true })
  const args = [
    '-f',
    '-y',
    '-xx',
    '-s',
    '100000000',
    '-e',
    `trace=${CALLS}`,
    '-o',
    file,
    process.execPath,
    program(name),
  ]
  const run = spawnSync('strace', args, {
    env: programEnv(store, { DIR: dir, ...env }),
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (run.status !== 0) throw new Error(`${name} under strace ended with ${run.status}: ${run.stderr}`)
  return readTrace(readFileSync(file, 'latin1'), dir)
}

interface Call {
  readonly name: string
  readonly args: string
  readonly result: number
  readonly resultPath: string
  readonly begun: number
}

interface Reader {
  readonly dir: string
  readonly ops: Op[]
  /** Files opened with O_APPEND, and where the others are written next. */
  readonly appends: Set<string>
  readonly places: Map<string, number>
}

function readTrace(text: string, dir: string): readonly Op[] {
  const reader: Reader = { dir, ops: [], appends: new Set(), places: new Map() }
  const unfinished = new Map<string, { readonly text: string; readonly begun: number }>()
  for (const line of text.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(pid, { text: rest.slice(0, -16), begun: reader.ops.length })
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    const first = resumed === undefined ? undefined : unfinished.get(pid)
    takeCall(reader, parseCall((first?.text ?? '') + (resumed ?? rest), first?.begun ?? reader.ops.length))
  }
  return reader.ops
}

function parseCall(text: string, begun: number): Call | undefined {
  const match = /^(\w+)\((.*)\)\s+= (-?\d+)(?:<([^>]*)>)?/.exec(text)
  if (match === null) return undefined
  const [, name = '', args = '', result = '', resultPath = ''] = match
  return Number(result) < 0 ? undefined : { name, args, result: Number(result), resultPath: plain(resultPath), begun }
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex')
const plain = (text: string): string => (text.includes('\\x') ? bytesOf(text).toString() : text)
const strings = (args: string): readonly Buffer[] =>
  [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((m) => bytesOf(m[1] ?? ''))
const lastNumber = (args: string): number => Number(/, (\d+)$/.exec(args)?.[1] ?? 0)

function takeCall(reader: Reader, call: Call | undefined): void {
  if (call === undefined) return
  const { name, args } = call
  const [, fd = '', fdPath = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? []
  const own = plain(fdPath).replace(/ \(deleted\)$/, '')
  if (name.includes('write')) return fd === '1' ? takeWords(reader, args) : takeWrite(reader, call, fd, own)
  if (name === 'copy_file_range') throw new Error('copy_file_range: teach the rig to read it')
  if (name.includes('open') || name === 'creat') return takeOpen(reader, call)
  if (name.endsWith('sync')) return push(reader, { kind: 'sync', path: own, begun: call.begun })
  if (name === 'ftruncate') return push(reader, { kind: 'cut', path: own, size: lastNumber(args) })
  if (name === 'fallocate') return takeAllocation(reader, args, own)
  takePathCall(reader, call)
}

function takePathCall(reader: Reader, { name, args }: Call): void {
  const [first = '', second = ''] = strings(args).map((text) => path.resolve(text.toString()))
  if (name.startsWith('mkdir')) push(reader, { kind: 'make', path: first, folder: true })
  else if (name.startsWith('rename')) push(reader, { kind: 'rename', path: first, to: second })
  else if (name.startsWith('link')) push(reader, { kind: 'link', path: first, to: second })
  else if (name === 'truncate') push(reader, { kind: 'cut', path: first, size: lastNumber(args) })
  else push(reader, { kind: 'remove', path: first })
}

function push(reader: Reader, op: Op): void {
  const below = (target: string): boolean => target === reader.dir || target.startsWith(`${reader.dir}/`)
  if (op.kind === 'say' || below(op.path) || ('to' in op && below(op.to))) reader.ops.push(op)
}

function takeWords(reader: Reader, args: string): void {
  for (const line of Buffer.concat(strings(args)).toString().split('\n')) {
    const [word = '', id = ''] = line.split(' ')
    if (['TRY', 'ACK', 'ERR'].includes(word)) push(reader, { kind: 'say', word, id })
  }
}

function takeOpen(reader: Reader, { args, result, resultPath }: Call): void {
  reader.places.set(`${result}:${resultPath}`, 0)
  if (args.includes('O_APPEND')) reader.appends.add(resultPath)
  if (args.includes('O_CREAT')) push(reader, { kind: 'make', path: resultPath, folder: false })
  if (args.includes('O_TRUNC')) push(reader, { kind: 'cut', path: resultPath, size: 0 })
}

function takeWrite(reader: Reader, { name, args, result }: Call, fd: string, own: string): void {
  const data = Buffer.concat(strings(args)).subarray(0, result)
  const place = `${fd}:${own}`
  if (name.startsWith('p') && !reader.appends.has(own))
    return push(reader, { kind: 'write', path: own, at: lastNumber(args), data })
  if (reader.appends.has(own)) return push(reader, { kind: 'write', path: own, at: 'end', data })
  const at = reader.places.get(place) ?? 0
  reader.places.set(place, at + data.length)
  push(reader, { kind: 'write', path: own, at, data })
}

/** Only the plain form, which grows a file by zeros, is understood. */
function takeAllocation(reader: Reader, args: string, own: string): void {
  const [mode = '', at = '0', size = '0'] = args.split(', ').slice(1)
  if (mode !== '0') throw new Error(`fallocate with mode ${mode}: teach the rig to read it`)
  push(reader, { kind: 'write', path: own, at: Number(at), data: Buffer.alloc(Number(size)) })
}
