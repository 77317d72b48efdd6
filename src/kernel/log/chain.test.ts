import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainOf, line, sha256, type Line } from '../../../test/conformance/kit.ts'
import type { Chunk } from '../ports.ts'
import { Chain, START } from './chain.ts'
import { soundEnds } from './sound.ts'

const scan = (text: string | Buffer) => {
  const chain = new Chain(START, sha256)
  const seqs: number[] = []
  chain.scan({ bytes: Buffer.from(text), segment: 1, offset: 0 }, ({ seq }) => seqs.push(seq))
  const ahead = new Chain(START, sha256)
  ahead.scan(lookedAt(Buffer.from(text), 0))
  expect(ahead).toEqual(chain)
  return { chain, seqs }
}
/** By a store that has asked for the hashes ahead: it makes no difference. */
const lookedAt = (bytes: Buffer, offset: number) => ({ bytes, segment: 1, offset, sound: soundEnds(bytes, sha256) })
const text = (...lines: readonly (Line | string)[]) =>
  lines.map((each) => (typeof each === 'string' ? each : each.line)).join('')
const [one, two, three] = chainOf(3, START)
if (one === undefined || two === undefined || three === undefined) throw new Error('three lines')

test('L2 lines that follow each other are commits', () => {
  const { chain, seqs } = scan(text(one, two, three))
  expect(seqs).toEqual([1, 2, 3])
  expect(chain.position).toEqual({ seq: 3, hash: three.hash, segment: 1, offset: text(one, two, three).length })
  expect(chain.damage).toBeUndefined()
})

test('L3 the first of two lines for a seq wins, and the rest of the losing batch is a lost race, too', () => {
  const losers = chainOf(3, START, 'loser ')
  const { chain, seqs } = scan(text(one, ...losers, two))
  expect(seqs).toEqual([1, 2])
  expect(chain.races).toBe(3)
  expect(chain.damage).toBeUndefined()
})

test('L3 what speaks against a commit stands in its place, or behind what lost against it; not who lost among those who began together', () => {
  const [late, later] = chainOf(2, START, 'late ')
  const { chain } = scan(text(one, ...chainOf(1, START, 'loser ')))
  const met = (...lines: readonly (Line | undefined)[]) => {
    chain.scan({
      bytes: Buffer.from(lines.map((each) => each?.line).join('')),
      segment: 1,
      offset: chain.position.offset,
    })
    return [chain.races, chain.rivals]
  }
  expect([chain.races, chain.rivals]).toEqual([1, 0])
  expect(met(late)).toEqual([2, 1])
  expect(met(late, later)).toEqual([3, 2])
})

test.each([
  ['nothing else', 3],
  ['what looks like the beginning of a line', Array.from({ length: 20 }, (_, seq) => ({ v: 1, seq }))],
])('L3 a fragment that ends in a whole line of a later commit is corruption; that line holds %s', (_, value) => {
  const last = line(3, two.hash, value)
  const { chain, seqs } = scan(text(one, `${two.line.slice(0, -1)} `, last))
  expect(seqs).toEqual([1])
  expect(chain.damage).toMatchObject({ seq: 2 })
})

test('L3 a torn fragment is ignored when nothing follows it', () => {
  const { chain, seqs } = scan(text(one, two.line.slice(0, 50)))
  expect(seqs).toEqual([1])
  expect(chain.unfinished).toEqual({ segment: 1, offset: one.line.length, bytes: 50 })
})

test('L3 a torn fragment is ignored when the chain goes on after it', () => {
  const { chain, seqs } = scan(text(one, `${two.line.slice(0, 50)}\n`, two))
  expect(seqs).toEqual([1, 2])
  expect(chain.torn).toEqual([{ segment: 1, offset: one.line.length, bytes: 50 }])
})

test('L3 a gap is corruption: reading stops at the last good commit and says where', () => {
  const { chain, seqs } = scan(text(one, three))
  expect(seqs).toEqual([1])
  expect(chain.damage).toMatchObject({ segment: 1, offset: one.line.length, seq: 2 })
})

test('L3 a changed line is found where it stands, not where the gap shows', () => {
  const changed = two.line.replace('"2"', '"9"')
  const { chain, seqs } = scan(text(one, changed, three))
  expect(seqs).toEqual([1])
  expect(chain.damage).toMatchObject({ offset: one.line.length, seq: 2 })
})

test('L3 another prev is corruption', () => {
  const foreign = line(2, 'f'.repeat(64))
  expect(scan(text(one, foreign)).chain.damage).toMatchObject({ seq: 2 })
})

test('L9 a line of a newer format is not taken for a fragment', () => {
  const newer = two.line.replace('{"v":1,', '{"v":2,')
  const { chain } = scan(text(one, newer))
  expect(chain.damage?.reason).toContain('newer format')
})

const rehashed = (each: Line, from: string, to: string) => {
  const body = each.line.slice(0, each.line.lastIndexOf(',"hash":"')).replace(from, to)
  return `${body},"hash":"${sha256(Buffer.from(`${body}}`))}"}\n`
}

test.each([2, 10, 12, 99, 123456])('L9 version %i is newer, even where its hashes are made as ours are', (version) => {
  const { chain, seqs } = scan(text(one, rehashed(two, '{"v":1,', `{"v":${version},`), two))
  expect(seqs).toEqual([1])
  expect(chain.damage).toMatchObject({
    offset: one.line.length,
    seq: 2,
    reason: expect.stringContaining('newer format'),
  })
})

test.each([
  '{"v":',
  '{"v":2',
  '{"v":2,"seq":2,"at":"20',
  '{"v":1234567890123,"seq":2}',
  '{"v":"2","seq":2}',
  '{"v":2}',
])('L3 %j is a fragment, not a line of a newer format', (torn) => {
  const { chain, seqs } = scan(text(one, `${torn}\n`, two))
  expect(seqs).toEqual([1, 2])
  expect(chain.damage).toBeUndefined()
  expect(chain.torn).toHaveLength(1)
})

test('L3 a fragment may end in the rest of a losing batch, but in no other line above the next', () => {
  const [, second, third] = chainOf(3, START, 'loser ')
  const [first] = chainOf(1, START, 'loser ')
  if (first === undefined || second === undefined || third === undefined) throw new Error('three lines')
  const glued = `${two.line.slice(0, 50)}${second.line}`
  expect(scan(text(one, first, second, `{"v":1,"se${third.line}`, two)).chain.damage).toBeUndefined()
  expect(scan(text(one, glued, two)).seqs).toEqual([1, 2])
  expect(scan(text(one, `{"v":1,"se${third.line}`, two)).chain.damage).toMatchObject({
    offset: one.line.length,
    seq: 2,
  })
})

test('L2 a commit whose last event is the seal ends the segment, and nothing behind it counts', () => {
  const seal = line(1, START.hash, undefined, 'log.seal')
  expect(scan(text(seal, line(2, seal.hash))).chain.position).toEqual({
    seq: 1,
    hash: seal.hash,
    segment: 2,
    offset: 0,
  })
  const renamed = rehashed(seal, '"op":"log.seal"', '"op":"some.other"')
  expect(scan(renamed).chain.position).toMatchObject({ seq: 1, segment: 2, offset: 0 })
  const alike = rehashed(seal, '"data":{}', '"data":{"a":{}}')
  expect(scan(alike).chain.position).toMatchObject({ seq: 1, segment: 1, offset: alike.length })
})

test('L3 a fragment that spans two reads is met again from the last commit', () => {
  const chain = new Chain(START, sha256)
  const first = Buffer.from(text(one, two.line.slice(0, 40)))
  chain.scan({ bytes: first, segment: 1, offset: 0 })
  const rest = Buffer.from(text(two, three))
  chain.scan({ bytes: rest, segment: 1, offset: chain.position.offset })
  expect(chain.position.seq).toBe(3)
  expect(chain.damage).toBeUndefined()
})

test('L2 any flipped bit is found: never a changed commit, never a commit behind the damage', () => {
  const lines = chainOf(6, START)
  const whole = Buffer.from(text(...lines))
  const ends = lines.map((_, index) => text(...lines.slice(0, index + 1)).length)
  const last = ends[4] ?? 0
  fc.assert(
    fc.property(fc.nat({ max: last - 1 }), fc.nat({ max: 7 }), (at, bit) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      const { chain, seqs } = scan(bytes)
      const intact = ends.findIndex((end) => at < end)
      expect(seqs).toEqual(lines.slice(0, intact).map(({ seq }) => seq))
      expect(chain.damage).toBeDefined()
      expect(chain.damage?.offset).toBe(intact === 0 ? 0 : ends[intact - 1])
    }),
    { numRuns: 500 },
  )
})

/** A writer that looked at some moment, then wrote a batch, perhaps cut short. */
interface Write {
  readonly lag: number
  readonly batch: number
  readonly cut: number | undefined
}

test('L2 L3 any interleaving of racing and dying writers leaves one history on which every reader agrees', () => {
  const write = fc.record<Write>({
    lag: fc.nat({ max: 2 }),
    batch: fc.integer({ min: 1, max: 4 }),
    cut: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(write, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 700 }), (writes, step) => {
      const { bytes, acknowledged } = race(writes)
      const whole = new Chain(START, sha256)
      const hashes: string[] = []
      whole.scan({ bytes: Buffer.from(bytes), segment: 1, offset: 0 }, ({ hash }) => hashes.push(hash))
      expect(whole.damage).toBeUndefined()
      for (const hash of acknowledged) expect(hashes).toContain(hash)
      expect(readInSteps(bytes, step)).toEqual(hashes)
      expect(readInSteps(bytes, step, lookedAt)).toEqual(hashes)
    }),
    { numRuns: 300 },
  )
})

function race(writes: readonly Write[]): { bytes: Buffer; acknowledged: readonly string[] } {
  let bytes = Buffer.alloc(0)
  const positions = [START]
  const acknowledged: string[] = []
  for (const [index, { lag, batch, cut }] of writes.entries()) {
    const seen = positions.at(-1 - Math.min(lag, positions.length - 1)) ?? START
    const lines = chainOf(batch, seen, `writer ${index}: `)
    const payload = Buffer.from((bytes.length > 0 && bytes.at(-1) !== 10 ? '\n' : '') + text(...lines))
    bytes = Buffer.concat([bytes, cut === undefined ? payload : payload.subarray(0, cut)])
    const chain = new Chain(START, sha256)
    const ours = new Set(lines.map(({ hash }) => hash))
    chain.scan({ bytes: Buffer.from(bytes), segment: 1, offset: 0 }, ({ hash }) => {
      if (ours.has(hash) && !acknowledged.includes(hash)) acknowledged.push(hash)
    })
    positions.push(chain.position)
  }
  return { bytes, acknowledged }
}

const plain = (bytes: Buffer, offset: number): Chunk => ({ bytes, segment: 1, offset })

/** As a reader that looks again and again while the file grows. */
function readInSteps(bytes: Buffer, step: number, chunkOf = plain): readonly string[] {
  const chain = new Chain(START, sha256)
  const hashes: string[] = []
  for (let size = step; size < bytes.length + step; size += step) {
    const { offset } = chain.position
    const seen = Buffer.from(bytes.subarray(offset, Math.min(size, bytes.length)))
    chain.scan(chunkOf(seen, offset), ({ hash }) => hashes.push(hash))
  }
  return hashes
}
