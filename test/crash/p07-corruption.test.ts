import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { additions, bitFlips, type Damage, edits, type Torn, tornTails } from './rig/damage.ts'
import { copyWith, lineEnds, segmentsBelow } from './rig/files.ts'
import { History } from './rig/history.ts'
import { type Answer, type Inspector, startInspector } from './rig/inspector.ts'
import { count, patience, scratch, seeded, soak, subject } from './rig/plan.ts'
import { startWriter } from './rig/processes.ts'

interface Bench {
  readonly store: string
  readonly dir: string
  readonly copy: string
  readonly inspector: Inspector
  readonly base: Required<Pick<Answer, 'ids' | 'log'>>
  readonly segments: readonly string[]
}

/** A sound store of a few segments, without a checkpoint, and a process that opens copies of it. */
async function makeBench(store: string): Promise<Bench> {
  const folder = scratch('corrupt', '/dev/shm')
  const [dir, copy] = [path.join(folder, 'store'), path.join(folder, 'copy')]
  mkdirSync(dir)
  const env = { CRASH_SETTINGS: '{"checkpoints":false,"segmentBytes":12000}', COUNT: '31', SIZE: '500' }
  const { code, stderr } = await startWriter({ store, dir, id: 'w', history: new History(), env }).ended
  expect([code, stderr]).toEqual([0, ''])
  const inspector = startInspector(store, env)
  const { ids = [], log = [], verified } = await inspector.ask({ dir, verify: true })
  expect([ids.length, verified?.ok]).toEqual([31, true])
  return { store, dir, copy, inspector, base: { ids, log }, segments: segmentsBelow(dir) }
}

const read = (bench: Bench, file: string): Buffer => readFileSync(path.join(bench.dir, file))
const sums = (answer: Pick<Answer, 'log'>): readonly string[] => (answer.log ?? []).map(({ sum }) => sum)
const isPrefix = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every((item, at) => item === whole[at])

/** The exact prefix is there; two appends, each after opening anew, change nothing of it. */
async function judgeTorn(
  bench: Bench,
  file: string,
  { name, bytes, lines }: Torn,
  verify: boolean,
): Promise<readonly string[]> {
  copyWith(bench.dir, bench.copy, file, bytes)
  const lost = lineEnds(read(bench, file)).length - lines
  const answer = await bench.inspector.ask({ dir: bench.copy, append: ['after-1', 'after-2'], verify })
  const { ids, after, code, message, verified } = answer
  if (ids === undefined || after === undefined) return [`${name}: fails with ${code}: ${message}`]
  const want = sums(bench.base).slice(0, bench.base.log.length - lost)
  return [
    ...(sums(answer).join() === want.join()
      ? []
      : [`${name}: ${sums(answer).length} commits instead of ${want.length}`]),
    ...(verified?.ok !== false ? [] : [`${name}: verify calls it altered: ${verified?.message}`]),
    ...(after.join() === [...ids, 'after-1', 'after-2'].join()
      ? []
      : [`${name}: after two appends: ${after.slice(-4).join()}`]),
  ]
}

/** No altered commit is returned, and verify fails, naming the file and a byte. */
async function judgeAltered(bench: Bench, file: string, { name, bytes }: Damage): Promise<readonly string[]> {
  copyWith(bench.dir, bench.copy, file, bytes)
  const answer = await bench.inspector.ask({ dir: bench.copy, verify: true })
  const { verified } = answer
  const found = isPrefix(sums(answer), sums(bench.base)) ? [] : [`${name}: an altered or moved commit is returned`]
  if (verified === undefined || verified.ok) return [...found, `${name}: verify calls it clean`]
  const named = verified.message.includes(path.basename(file)) && /byte \d/.test(verified.message)
  return named ? found : [...found, `${name}: verify names no file and byte: ${verified.message}`]
}

/** Nothing is lost and verify says so, or it is treated as altered. */
async function judgeAddition(bench: Bench, file: string, damage: Damage): Promise<readonly string[]> {
  copyWith(bench.dir, bench.copy, file, damage.bytes)
  const answer = await bench.inspector.ask({ dir: bench.copy, verify: true })
  if (answer.verified?.ok !== true) return judgeAltered(bench, file, damage)
  const same = sums(answer).join() === sums(bench.base).join()
  const mentioned = /torn|race|fragment/i.test(answer.verified.message)
  return same && mentioned ? [] : [`${damage.name}: ${same ? 'verify does not mention it' : 'commits are missing'}`]
}

async function judgeAll<T>(
  cases: readonly T[],
  judge: (one: T, at: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [at, one] of cases.entries()) found.push(...(await judge(one, at)))
  return found
}

test(
  'L3 a torn tail leaves the exact prefix and takes the next two appends (P7)',
  async () => {
    const bench = await makeBench(subject)
    const file = bench.segments.at(-1) ?? ''
    const cases = tornTails(read(bench, file), count(60, 600))
    expect(cases.length).toBeGreaterThanOrEqual(count(60, 400))
    expect(await judgeAll(cases, (one, at) => judgeTorn(bench, file, one, soak || at % 5 === 0))).toEqual([])
    await bench.inspector.stop()
  },
  patience(60, 600),
)

test(
  'L3 an altered log is never returned, and verify names file and byte (P7)',
  async () => {
    const bench = await makeBench(subject)
    const random = seeded(7)
    const each = Math.ceil(count(12, 210) / bench.segments.length)
    for (const [n, file] of bench.segments.entries()) {
      const bytes = read(bench, file)
      const whole = lineEnds(bytes).length > 3 && (soak || n === 1)
      const cases = [...bitFlips(bytes, each, random), ...(whole ? edits(bytes) : [])]
      expect(await judgeAll(cases, (one) => judgeAltered(bench, file, one))).toEqual([])
      expect(await judgeAll(whole ? additions(bytes) : [], (one) => judgeAddition(bench, file, one))).toEqual([])
    }
    await bench.inspector.stop()
  },
  patience(60, 600),
)

test(
  'L3 a store that checks neither hashes nor the chain is caught',
  async () => {
    const bench = await makeBench('no-chain')
    const file = bench.segments.at(-1) ?? ''
    const found = await judgeAll(edits(read(bench, file)), (one) => judgeAltered(bench, file, one))
    expect(found.join()).toContain('an altered or moved commit is returned')
    await bench.inspector.stop()
  },
  patience(30, 30),
)
