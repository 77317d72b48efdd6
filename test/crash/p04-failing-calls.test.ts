import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { History } from './rig/history.ts'
import { longSegments, patience, scratch, soak, subject } from './rig/plan.ts'
import { dropPower } from './rig/powerless.ts'
import { dump, startWriter } from './rig/processes.ts'
import { buildShim, type Fault, faultEnv } from './rig/shim.ts'

const shim = buildShim()
const folder = scratch('failing')
const own = (store: string): string => (store === 'product' ? '/.steadfold/' : '/crash')

interface Outcome {
  readonly findings: readonly string[]
  readonly hits: number
  readonly codes: readonly string[]
}

/** A writer whose k-th call fails, then the power goes: what was acknowledged must be there. */
async function failingRun(
  store: string,
  fault: Omit<Fault, 'path' | 'log' | 'watch'>,
  callers = 1,
  segments: object = callers > 1 ? longSegments : {},
): Promise<Outcome> {
  const dir = path.join(folder, `${store}-${fault.op}-${fault.act}-${fault.at}-${callers}`)
  mkdirSync(dir)
  const [history, log] = [new History(), `${dir}.log`]
  const env = faultEnv(shim ?? '', { ...fault, path: own(store), log, watch: dir })
  const writer = startWriter({
    store,
    dir,
    id: 'w',
    history,
    env: {
      ...env,
      ...segments,
      CALLERS: String(callers),
      COUNT: '60',
      SIZE: '600',
      AFTER_ERROR: String(4 * callers),
    },
  })
  await writer.ended
  const running = dump(store, dir)
  const { hits, unnamed } = dropPower(log)
  const cut = dump(store, dir)
  const name = `${fault.op} ${fault.at} ${fault.act}`
  const findings = [
    ...judge(history, running, 'while running'),
    ...judge(history, cut, 'after the power cut'),
    ...unnamed,
  ]
  return { findings: findings.map((text) => `${name}: ${text}`), hits, codes: [...history.refused.values()] }
}

function judge(history: History, { ids, failure }: ReturnType<typeof dump>, when: string): readonly string[] {
  const found = failure === '' ? history.judge(ids) : [failure]
  return found.map((text) => `${when}: ${text}`)
}

/** Codes that docs/errors.md does not explain. */
function unexplained(codes: readonly string[]): readonly string[] {
  const page = new URL('../../docs/errors.md', import.meta.url)
  const text = existsSync(page) ? readFileSync(page, 'utf8') : ''
  return [...new Set(codes)].filter((code) => !new RegExp(`^#+ .*\\b${code}\\b`, 'm').test(text))
}

/** Which call fails: each of the first thirty, or in the short form those that differ in kind. */
function turns({ op, act }: Pick<Fault, 'op' | 'act'>): readonly number[] {
  if (soak) return Array.from({ length: 30 }, (_, i) => i + 1)
  return op === 'sync' && act === 'EIO' ? [1, 3, 5, 8, 13, 16, 18, 20] : [1, 2, 4]
}

const cases = (['sync', 'write', 'rename'] as const).flatMap((op) =>
  (['EIO', 'ENOSPC'] as const).map((act) => ({ op, act })),
)

test.skipIf(shim === undefined).each(cases)(
  'L5 nothing acknowledged depends on a $op that failed with $act (P4)',
  async ({ op, act }) => {
    const outcomes: Outcome[] = []
    for (const at of turns({ op, act })) outcomes.push(await failingRun(subject, { op, act, at }))
    expect(outcomes.flatMap((outcome) => outcome.findings)).toEqual([])
    expect(outcomes.filter((outcome) => outcome.hits > 0).length).toBeGreaterThanOrEqual(op === 'rename' ? 1 : 3)
    if (subject === 'product') expect(unexplained(outcomes.flatMap((outcome) => outcome.codes))).toEqual([])
  },
  patience(60, 300),
)

test.skipIf(shim === undefined)(
  'L5 nothing acknowledged depends on a sync that failed while the next group was decided, nor on that group (P4)',
  async () => {
    const outcomes: Outcome[] = []
    for (const at of soak ? [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20] : [9, 14, 20])
      outcomes.push(await failingRun(subject, { op: 'sync', act: 'EIO', at }, 64))
    expect(outcomes.flatMap(({ findings }) => findings)).toEqual([])
    expect(outcomes.every(({ hits }) => hits > 0)).toBe(true)
  },
  patience(60, 300),
)

test.skipIf(shim === undefined)(
  'L5 S2 nothing acknowledged depends on a sync that failed while commits in a row were copied to a redo file (P4)',
  async () => {
    const outcomes: Outcome[] = []
    for (const at of soak ? Array.from({ length: 40 }, (_, i) => 31 + i) : [40, 41, 42, 43, 45, 60, 69])
      outcomes.push(await failingRun(subject, { op: 'sync', act: 'EIO', at }, 1, longSegments))
    expect(outcomes.flatMap(({ findings }) => findings)).toEqual([])
    expect(outcomes.every(({ hits }) => hits > 0)).toBe(true)
  },
  patience(60, 300),
)

test.skipIf(shim === undefined)(
  'L5 a store that believes the second fdatasync is caught',
  async () => {
    const outcomes: Outcome[] = []
    for (const at of [3, 4, 5]) outcomes.push(await failingRun('trusts-retry', { op: 'sync', act: 'EIO', at }))
    expect(outcomes.flatMap(({ findings }) => findings).join()).toContain('after the power cut')
  },
  patience(30, 30),
)
