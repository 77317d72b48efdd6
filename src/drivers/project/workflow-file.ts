/*
 * A workflow file as a value, and the place of each of its members for messages.
 *
 * Y1. YAML 1.2, with the `<<` of 1.1, which files of others merge with; a member given twice, a tag, a second document, or an
 *     alias that grows without bound is refused.
 * Y2. A module in JavaScript or TypeScript gives its default export; what JSON does not hold is left out. Where Node does not
 *     read TypeScript itself, types are taken out by hooks.
 */
import { spawnSync } from 'node:child_process'
import { constants, openSync, readFileSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import * as path from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import {
  isAlias,
  isCollection,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type YAMLError,
} from 'yaml'
import { asError, EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'

const MOST_BYTES = 4 * 1024 * 1024
const MOST_ALIASES = 10_000
const MOST_MS = 30_000
const LOADER = `import { writeFileSync } from 'node:fs'
import { register } from 'node:module'
if (process.argv[2]) register(process.argv[2])
const { default: given } = await import(process.argv[1])
writeFileSync(3, JSON.stringify(given) ?? '')`
const MODULE = /\.[cm]?[jt]s$/

export interface WorkflowFile {
  readonly value: unknown
  /** `file:line:column` of a path of members. */
  readonly locate: (path: readonly (string | number)[]) => string
  readonly folder: string
}

export async function readWorkflowFile(file: string, signal?: AbortSignal): Promise<WorkflowFile> {
  const text = await read(file, signal)
  return MODULE.test(file) ? readModule(file) : parseWorkflow(text, file)
}

/** Y2. It runs as the user who names it, as the commands of its steps would. */
function readModule(file: string): WorkflowFile {
  const whole = path.resolve(file)
  // A process of its own: it is loaded anew each time, and what it prints or breaks is not ours.
  const { status, output } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', LOADER, pathToFileURL(whole).href, ...hooksFor(file)],
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], maxBuffer: MOST_BYTES, timeout: MOST_MS, encoding: 'utf8' },
  )
  const [, , stderr, text] = output ?? []
  if (status !== 0) throw invalid(`${file}: ${faultIn(stderr ?? '')}`)
  if (text === null || text === undefined || !text.startsWith('{'))
    throw invalid(`${file} has no workflow as its default export`)
  const value: unknown = JSON.parse(text)
  return { value, locate: () => file, folder: path.dirname(whole) }
}

export function parseWorkflow(text: string, file: string): WorkflowFile {
  const lines = new LineCounter()
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    customTags: [],
    merge: true,
    logLevel: 'error',
  })
  try {
    const [fault] = [...document.errors, ...document.warnings]
    if (fault !== undefined) throw invalid(`${at(fault.pos[0])}: ${sayFault(fault)}`)
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
    return { value, locate: (members) => at(offsetOf(document, members)), folder: path.dirname(path.resolve(file)) }
  } catch (error) {
    if (error instanceof EngineError) throw error
    const lost = lostAlias(document)
    if (lost !== undefined)
      throw invalid(`${at(rangeStart(lost) ?? 0)}: no anchor &${lost.source} stands before this alias`)
    throw invalid(`${file}: ${saySpread(error)}`)
  }
}

/** Of an error that Node prints: the line that names it. */
const faultIn = (stderr: string): string => /^\w*Error\b.*$/m.exec(stderr)?.[0] ?? 'it cannot be loaded'

/** A program of its own, since Node loads it by name. */
const HOOKS = new URL('./typescript.js', import.meta.url)

const hooksFor = (file: string): readonly string[] => (file.endsWith('ts') && !readsTypeScript() ? [HOOKS.href] : [])

/** Node tells it since 22.10. */
const readsTypeScript = (): boolean =>
  'typescript' in process.features && typeof process.features.typescript === 'string'

async function read(file: string, signal: AbortSignal | undefined): Promise<string> {
  let bytes: Buffer
  try {
    bytes = statSync(file).isFIFO() ? await piped(file, signal) : readFileSync(file)
  } catch (error) {
    signal?.throwIfAborted()
    const code = errnoOf(error) ?? String(error)
    const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }[code] ?? code
    throw new EngineError('FILE_NOT_FOUND', `cannot read ${file}: ${why}`, {
      hint: 'name a workflow file, such as review.workflow.yaml',
      cause: error,
    })
  }
  if (bytes.length > MOST_BYTES)
    throw new EngineError('VALUE_TOO_LARGE', `${file} has ${bytes.length} bytes, the limit is ${MOST_BYTES}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(`${file} is not UTF-8`)
  }
}

/** Nobody knows when its other end writes: others, and signals, have their turn meanwhile. */
function piped(file: string, signal = new AbortController().signal): Promise<Buffer> {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return buffer(addAbortSignal(signal, new Socket({ fd, readable: true, writable: false })))
}

/** Of the innermost member on the path that is there. */
function offsetOf(document: Document, members: readonly (string | number)[]): number {
  let node: unknown = document.contents
  let offset = 0
  for (const member of members) {
    if (!isCollection(node)) break
    const item: unknown = node.items.find((each, index) =>
      isPair(each) && isScalar(each.key) ? String(each.key.value) === String(member) : index === member,
    )
    if (isPair(item)) {
      if (isScalar(item.key)) offset = item.key.range?.[0] ?? offset
      node = item.value
    } else {
      node = item
      offset = rangeStart(node) ?? offset
    }
  }
  return offset
}

function rangeStart(node: unknown): number | undefined {
  return isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined
}

/** The first that stands for nothing. */
function lostAlias(document: Document): Alias | undefined {
  let lost: Alias | undefined
  visit(document, {
    Alias: (_, node) => {
      if (node.resolve(document) !== undefined) return undefined
      lost = node
      return visit.BREAK
    },
  })
  return lost
}

const TOO_DEEP = 'nested too deeply'
/** What goes wrong where aliases become what they stand for; the library tells of no place. */
function saySpread(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP
  if (error instanceof ReferenceError) return TOO_MANY
  return asError(error).message.startsWith('Merge sources') ? 'a << merges what is no mapping' : String(error)
}

const TOO_MANY = `its aliases stand for one another too often, the limit is ${MOST_ALIASES}`

/** The first line, without the place, which stands before it. */
function sayFault({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; a file holds one workflow'
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
}

const invalid = (message: string): EngineError =>
  new EngineError('WORKFLOW_INVALID', message, { hint: 'correct the file there, then try again' })
