import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainOf, line, sha256, type Line } from '../../test/conformance/kit.ts'
import { Chain, START } from './chain.ts'

const scan = (text: string | Buffer) => {
  const chain = new Chain(START, sha256)
  const seqs: number[] = []
  chain.scan({ bytes: Buffer.from(text), segment: 1, offset: 0 }, ({ seq }) => seqs.push(seq))
  return { chain, seqs }
}
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

/** As a reader that looks again and again while the file grows. */
function readInSteps(bytes: Buffer, step: number): readonly string[] {
  const chain = new Chain(START, sha256)
  const hashes: string[] = []
  for (let size = step; size < bytes.length + step; size += step) {
    const { offset } = chain.position
    const seen = Buffer.from(bytes.subarray(offset, Math.min(size, bytes.length)))
    chain.scan({ bytes: seen, segment: 1, offset }, ({ hash }) => hashes.push(hash))
  }
  return hashes
}
