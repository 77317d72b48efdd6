/* A log of some megabytes, with lost races and torn fragments in it, read in parts. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { line, sha256, temporaryFolder, type Line } from '../../../test/conformance/kit.ts'
import { filesKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { Position } from '../ports.ts'
import { Chain, START } from './chain.ts'
import { GENESIS, SEAL_OP } from './commit.ts'
import { Landmarks } from './landmarks.ts'
import { scanLog } from './replay.ts'

const SESSION = 'long'
const COMMITS = 2400
const SEALED = 1500
const WIDTH = 1500

const root = path.join(temporaryFolder(), '.steadfold')
const folder = path.join(root, 'sessions', SESSION, 'log')
let kernel: Kernel
let end: Position = START
let bytes = 0

/** Counts what is read of the log. */
function counting(inner: Kernel): Kernel {
  const { log } = inner
  const read = log.read.bind(log)
  log.read = async function* (session, after) {
    for await (const chunk of read(session, after)) {
      bytes += chunk.bytes.length
      yield chunk
    }
  }
  return inner
}

const wide = (seq: number, prev: string, tag: string): Line =>
  line(seq, prev, `${tag}${seq}`.padEnd(WIDTH + ((seq * 37) % 900), '.'))

/** Two segments; behind every 31st commit two lines of a batch that lost, behind every 11th half a line. */
function writeLog(into: string, tag: string): void {
  let prev = GENESIS
  let text = ''
  for (let seq = 1; seq <= COMMITS; seq++) {
    const next = seq === SEALED ? line(seq, prev, null, SEAL_OP) : wide(seq, prev, tag)
    text += next.line
    if (seq % 31 === 0 && seq !== SEALED) {
      const lost = wide(seq, prev, 'lost')
      text += lost.line + wide(seq + 1, lost.hash, 'lost').line
    }
    if (seq % 11 === 0 && seq !== SEALED) text += `${next.line.slice(0, 700)}\n`
    prev = next.hash
    if (seq !== SEALED && seq !== COMMITS) continue
    const first = seq === SEALED ? 1 : SEALED + 1
    fs.writeFileSync(path.join(into, `${String(first).padStart(20, '0')}.jsonl`), text)
    text = ''
  }
}

beforeAll(async () => {
  fs.mkdirSync(folder, { recursive: true })
  writeLog(folder, 'won')
  kernel = counting(filesKernel(root))
  end = await endOf(kernel)
})

async function endOf({ log }: Kernel): Promise<Position> {
  const chain = new Chain(START, sha256)
  for await (const _ of scanLog(log, SESSION, chain));
  expect(chain).toMatchObject({ damage: undefined, position: { seq: COMMITS } })
  return chain.position
}

async function read(marks: Landmarks, after: number, count: number): Promise<readonly number[]> {
  const found: number[] = []
  for await (const { seq } of marks.commits({ after, until: Infinity }, end)) {
    if (found.push(seq) >= count) break
  }
  return found
}

const numbers = (after: number, count: number): readonly number[] =>
  Array.from({ length: Math.min(count, COMMITS - after) }, (_, i) => after + i + 1)

test('M1 parts are the same wherever reading began, in whatever order they are asked for', async () => {
  const asked = fc.record({ after: fc.nat(COMMITS - 1), count: fc.integer({ min: 1, max: 300 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 6 }), async (parts) => {
      const marks = new Landmarks(kernel, SESSION)
      for (const { after, count } of parts) expect(await read(marks, after, count)).toEqual(numbers(after, count))
    }),
    { numRuns: 40 },
  )
})

test('M2 no place is sought where the beginning is as near', async () => {
  const marks = new Landmarks(kernel, SESSION)
  const near = await marks.behind(250, end)
  for (const seq of [120, 130, 140, 150, 160]) expect((await marks.behind(seq, near)).seq).toBeLessThanOrEqual(seq)
})

test('M1 a line of a lost race is no place to begin', async () => {
  const { log } = kernel
  const lost = wide(700, wide(699, '0'.repeat(64), 'x').hash, 'lost')
  const found: Position = { seq: 700, hash: lost.hash, segment: 1, offset: 1000 }
  const misled = { ...kernel, log: Object.assign(Object.create(log) as typeof log, { near: async () => found }) }
  expect(await new Landmarks(misled, SESSION).behind(COMMITS - 10, end)).toEqual(START)
})

test('M2 the last page of a long log costs some blocks, and every page before it as well', async () => {
  const marks = new Landmarks(kernel, SESSION)
  const whole = fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0)
  expect(whole).toBeGreaterThan(16 * 256 * 1024)
  for (let after = COMMITS - 50; after > 0; after -= 50) {
    bytes = 0
    await read(marks, after, 50)
    expect(bytes, `behind ${after}`).toBeLessThanOrEqual(8 * 256 * 1024)
  }
})

test('M3 when the log was cut, what was known of it is read anew', async () => {
  const copy = path.join(temporaryFolder(), '.steadfold')
  fs.cpSync(root, copy, { recursive: true })
  const other = filesKernel(copy)
  const marks = new Landmarks(other, SESSION)
  await marks.behind(COMMITS - 10, end)
  // Cut, and written on by others.
  writeLog(path.join(copy, 'sessions', SESSION, 'log'), 'other')
  const again = await endOf(other)
  const behind: string[] = []
  for await (const { hash } of marks.commits({ after: COMMITS - 5, until: Infinity }, again)) behind.push(hash)
  expect(behind.at(-1)).toBe(again.hash)
})
