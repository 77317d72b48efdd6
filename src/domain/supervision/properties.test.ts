import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import { overlaps } from '../../kernel/work/claims.ts'
import { findCycle } from '../../kernel/work/graph.ts'
import type { SupervisorRecord } from './events.ts'
import { wordsIn } from './words.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const STAGES = ['generation', 'execution', 'validation'] as const

const workers = fc.tuple(
  ...NAMES.map((id, at) =>
    fc.record({
      id: fc.constant(id),
      // Mostly on earlier ones, so that most plans are taken.
      needs: fc.oneof(
        { weight: 9, arbitrary: fc.subarray(NAMES.slice(0, at), { maxLength: Math.min(2, at) }) },
        { weight: 1, arbitrary: fc.subarray([...NAMES], { maxLength: 1 }) },
      ),
      files: fc.subarray(['src/a.ts', 'src/*.ts', 'docs'], { maxLength: 1 }),
      stage: fc.constantFrom(...STAGES),
    }),
  ),
)
const plans = fc.record({
  kind: fc.constantFrom('research' as const, 'implementation' as const, 'testing' as const),
  workers,
  min_success: fc.constantFrom(0, 0.34, 0.5, 1),
  claims: fc.boolean(),
})
const steps = fc.array(
  fc.record({
    what: fc.constantFrom('begin', 'report', 'report', 'fail', 'retry', 'retry one', 'old token'),
    worker: fc.constantFrom(...NAMES),
  }),
  { maxLength: 25 },
)

const isOpen = (status: string) => status === 'pending' || status === 'running'

function expectStands(
  { status, workers: all, stages, min_success }: SupervisorRecord,
  last: SupervisorRecord['workers'],
): void {
  const list = Object.values(all)
  for (const { id, status: own, needs, stage, reason, report } of list) {
    const before = list.filter((other) => stages.indexOf(other.stage ?? '') < stages.indexOf(stage ?? ''))
    if (own === 'running' || own === 'completed') {
      // S1
      expect(
        needs.map((need) => all[need]?.status),
        `${id} needs`,
      ).toEqual(needs.map(() => 'completed'))
      if (last[id]?.status !== own)
        expect(
          before.some((other) => isOpen(other.status)),
          `${id} stages`,
        ).toBe(false)
    }
    if (own === 'pending')
      // S6
      expect(
        needs.some((need) => ['failed', 'skipped'].includes(all[need]?.status ?? '')),
        `${id} has hope`,
      ).toBe(false)
    if (own === 'skipped') expect(reason).toBeTruthy()
    // S7
    if (report !== null) expect(wordsIn(report.summary) <= 50 && report.key_findings.length <= 2).toBe(true)
  }
  // S5
  const done = list.filter((each) => each.status === 'completed').length
  const share = done >= Math.ceil(list.length * min_success - 1e-9)
  const end = done === list.length ? 'completed' : share ? 'partial_success' : 'failed'
  expect(status).toBe(list.some((each) => isOpen(each.status)) ? 'running' : end)
}

test('S1 S3 S4 S5 S6 S7 hold after every operation of any story', async () => {
  await fc.assert(
    fc.asyncProperty(plans, steps, async ({ claims, kind, ...plan }, story) => {
      const { session } = await begin()
      const shaped = plan.workers.map(({ files, stage, needs, ...rest }) => ({
        ...rest,
        needs: kind === 'research' ? [] : needs,
        files: claims ? files : [],
        stage: kind === 'testing' ? stage : null,
      }))
      const answer = await session.run('supervise.start', { kind, ...plan, workers: shaped })
      if (answer.kind === 'refused') return
      const now = () => session.get(`$.supervision.supervisors.${kind}`) as SupervisorRecord
      const tokens = new Map<string, number>()
      for (const { what, worker } of story) {
        const before = structuredClone(now())
        const supervisor = kind
        if (what === 'begin') {
          const begun = await session.run('supervise.begin', { worker, supervisor })
          if (begun.kind === 'accepted') {
            const { token } = begun.value as { token: number }
            // S4
            expect(token).toBeGreaterThan(tokens.get(worker) ?? 0)
            tokens.set(worker, token)
          }
        } else if (what === 'report')
          await session.run('supervise.report', { worker, supervisor, summary: 'word '.repeat(70) })
        else if (what === 'fail') await session.run('supervise.fail', { worker, supervisor, reason: 'x' })
        else if (what === 'old token') {
          const token = (now().workers[worker]?.token ?? 0) + 1
          // S4
          expect(await session.run('supervise.report', { worker, supervisor, token })).toMatchObject({
            kind: 'refused',
          })
        } else await session.run('supervise.retry', { supervisor, workers: what === 'retry' ? [] : [worker] })
        expectStands(now(), before.workers)
        // S3
        for (const each of Object.values(before.workers))
          if (each.status === 'completed') expect(now().workers[each.id]).toEqual(each)
      }
    }),
    { numRuns: 150 },
  )
})

test('S2 a plan is taken exactly when it has no cycle and no shared file at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(workers, async (given) => {
      const { session } = await begin()
      const shaped = given.map(({ id, needs, files }) => ({ id, needs, files }))
      const answer = await session.run('supervise.start', { kind: 'implementation', workers: shaped })
      const needs = new Map(shaped.map((each) => [each.id as string, each.needs as readonly string[]]))
      const hasCycle = findCycle(needs) !== undefined
      if (hasCycle) expect(answer).toMatchObject({ code: 'DEPENDENCY_CYCLE' })
      if (hasCycle) return
      const waits = (a: string, b: string): boolean => (needs.get(a) ?? []).some((need) => need === b || waits(need, b))
      const clash = shaped.some((a) =>
        shaped.some(
          (b) =>
            a.id < b.id &&
            !waits(a.id, b.id) &&
            !waits(b.id, a.id) &&
            a.files.some((file) => b.files.some((other) => overlaps(file, other))),
        ),
      )
      expect(answer).toMatchObject(clash ? { code: 'FILES_CLAIMED' } : { kind: 'accepted' })
    }),
    { numRuns: 300 },
  )
})
