/*
 * Checked lines into commits: whole, or only what folding needs of them.
 *
 * Folding reads `events`, `seq` and `at`; half of a line is the rest. The hash has proven that an encoder of this format
 * wrote the line, and inside a JSON string a quote is escaped, so the first `"events":[` is the member itself.
 */
import type { Run } from './chain.ts'
import { HASH_MEMBER, PREV_MEMBER } from './check-line.ts'
import type { Commit, Event } from './commit.ts'

/** A piece of a log, looked at by the chain rules. */
export interface Scanned {
  readonly bytes: Buffer
  /** Where accepted lines stand in `bytes`. */
  readonly runs: readonly Run[]
}

const NEWLINE = 0x0a
/** JSON.parse of a block of lines is faster than of each line, while the block stays small enough for the cache. */
const BLOCK = 16 * 1024
const EVENTS = '"events":['
const SEQ_END = '{"v":1,"seq":'.length
const AT_START = ',"at":"'.length
const AT_LENGTH = 24
const ID = ',"id":"'
const TAIL = PREV_MEMBER + HASH_MEMBER

/** What is folded of a commit; the rest of its head is parsed when somebody asks. */
export class Folded {
  readonly seq: number
  readonly at: string
  readonly events: readonly Event[]
  readonly #head: string
  #parsed: Pick<Commit, 'actor' | 'key'> | undefined

  constructor(seq: number, at: string, events: readonly Event[], head: string) {
    this.seq = seq
    this.at = at
    this.events = events
    this.#head = head
  }

  get id(): string {
    const start = this.#head.indexOf(ID, AT_LENGTH) + ID.length
    return this.#head.slice(start, this.#head.indexOf('"', start))
  }

  get actor(): string {
    return this.#rest().actor
  }

  get key(): string | undefined {
    return this.#head.includes(',"key":"') ? this.#rest().key : undefined
  }

  #rest(): Pick<Commit, 'actor' | 'key'> {
    // The head of a line that has been checked, up to its events.
    this.#parsed ??= JSON.parse(`${this.#head}}`) as Commit
    return this.#parsed
  }
}

/** Whole commits. A line whose hash checks and which is no commit throws, behind those before it. */
export function* decodeCommits(scanned: Scanned): Generator<readonly Commit[]> {
  for (const text of blocks(scanned))
    yield* lineByLine(text, (lines) => JSON.parse(`[${lines.replaceAll('\n', ',')}]`) as Commit[])
}

/** Each line has been checked: it is one commit, or the work of another program that does not keep to the format. */
function* lineByLine<T>(text: string, parse: (lines: string) => readonly T[]): Generator<readonly T[]> {
  let all: readonly T[] | undefined
  try {
    all = parse(text)
  } catch {
    // Which one it is, is found below.
  }
  if (all === undefined) for (const line of text.split('\n')) yield parse(line)
  else yield all
}

/** The same commits, for folding; `next` is the sequence number of the first. */
export function* decodeFolded(scanned: Scanned, next: number): Generator<readonly Folded[]> {
  let seq = next
  for (const text of blocks(scanned)) {
    for (const commits of lineByLine(text, (lines) => foldedOf(lines, seq))) {
      yield commits
      seq += commits.length
    }
  }
}

/** JSON, but not as this format writes it. */
const FOREIGN = 'it is not written as the format says'

function foldedOf(text: string, first: number): readonly Folded[] {
  const heads: string[] = []
  const events: string[] = []
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const member = text.indexOf(EVENTS, start)
    if (member < 0 || member > end) throw new SyntaxError(FOREIGN)
    heads.push(text.slice(start, member - 1))
    events.push(text.slice(member + EVENTS.length - 1, end - TAIL))
    start = end + 1
  }
  const parsed = JSON.parse(`[${events.join(',')}]`) as (readonly Event[])[]
  if (parsed.length !== events.length) throw new SyntaxError(FOREIGN)
  return parsed.map((each, index) => folded(first + index, each, heads[index] ?? ''))
}

function folded(seq: number, events: readonly Event[], head: string): Folded {
  const at = head.indexOf(',', SEQ_END) + AT_START
  return new Folded(seq, head.slice(at, at + AT_LENGTH), events, head)
}

/** Accepted lines as text, some at a time, without the last newline. */
function* blocks({ bytes, runs }: Scanned): Generator<string> {
  for (const run of runs) {
    for (let start = run.start; start < run.end;) {
      const wanted = Math.min(start + BLOCK, run.end) - 1
      const before = bytes.lastIndexOf(NEWLINE, wanted)
      const end = before > start ? before : bytes.indexOf(NEWLINE, wanted)
      yield bytes.toString('utf8', start, end)
      start = end + 1
    }
  }
}
