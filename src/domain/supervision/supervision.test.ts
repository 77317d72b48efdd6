import { describe, expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Session } from '../../kernel/session.ts'
import type { SupervisorRecord, WorkerRecord } from './events.ts'

const plan = (id: string, ...needs: string[]) => ({ id, needs })
const start = (session: Session, workers: readonly object[], more: object = {}) =>
  session.run('supervise.start', { kind: 'implementation', workers, ...more })
const record = (session: Session, id = 'implementation') =>
  session.get(`$.supervision.supervisors['${id}']`) as SupervisorRecord
const worker = (session: Session, id: string) => record(session).workers[id] as WorkerRecord

/** Where worker `a` stands; `z` keeps the supervisor running but in the last two. */
type Place = 'pending' | 'waiting' | 'running' | 'completed' | 'failed' | 'skipped' | 'all over' | 'all completed'
type Command = 'begin' | 'report' | 'stale report' | 'fail' | 'retry' | 'retry a' | 'stop'

const arrive: Record<Place, (session: Session) => Promise<unknown>> = {
  pending: (session) => start(session, [plan('a'), plan('z')]),
  waiting: (session) => start(session, [plan('n'), plan('a', 'n'), plan('z')]),
  running: async (session) => {
    await start(session, [plan('a'), plan('z')])
    await session.run('supervise.begin', { worker: 'a' })
  },
  completed: async (session) => {
    await start(session, [plan('a'), plan('z')])
    await session.run('supervise.report', { worker: 'a', text: '# First' })
  },
  failed: async (session) => {
    await start(session, [plan('a'), plan('z')])
    await session.run('supervise.fail', { worker: 'a', reason: 'first' })
  },
  skipped: async (session) => {
    await start(session, [plan('n'), plan('a', 'n'), plan('z')])
    await session.run('supervise.fail', { worker: 'n', reason: 'first' })
  },
  'all over': async (session) => {
    await start(session, [plan('a')])
    await session.run('supervise.fail', { worker: 'a', reason: 'first' })
  },
  'all completed': async (session) => {
    await start(session, [plan('a')])
    await session.run('supervise.report', { worker: 'a', text: '# First' })
  },
}

const inputs: Record<Command, readonly [operation: string, input: object]> = {
  begin: ['supervise.begin', { worker: 'a' }],
  report: ['supervise.report', { worker: 'a', text: '# Done' }],
  'stale report': ['supervise.report', { worker: 'a', text: '# Done', token: 1 }],
  fail: ['supervise.fail', { worker: 'a', reason: 'why' }],
  retry: ['supervise.retry', {}],
  'retry a': ['supervise.retry', { workers: ['a'] }],
  stop: ['supervise.stop', {}],
}

const wrong = 'WORKER_STATUS_INVALID'
const lost = 'LEASE_LOST'
const idle = 'nothing to do'
const over = { begin: wrong, report: wrong, 'stale report': lost, fail: wrong }
const table: Record<Place, Record<Command, string>> = {
  pending: {
    ...over,
    begin: 'worker-begun',
    report: 'worker-reported',
    fail: 'worker-failed',
    retry: idle,
    'retry a': wrong,
    stop: 'worker-skipped worker-skipped ended',
  },
  waiting: { ...over, retry: idle, 'retry a': wrong, stop: 'worker-skipped worker-skipped worker-skipped ended' },
  running: {
    ...over,
    report: 'worker-reported',
    fail: 'worker-failed',
    retry: idle,
    'retry a': wrong,
    stop: 'worker-skipped worker-skipped ended',
  },
  completed: { ...over, retry: idle, 'retry a': wrong, stop: 'worker-skipped ended' },
  failed: { ...over, retry: 'retried', 'retry a': 'retried', stop: 'worker-skipped ended' },
  skipped: { ...over, retry: 'retried', 'retry a': wrong, stop: 'worker-skipped ended' },
  'all over': { ...over, retry: 'retried', 'retry a': 'retried', stop: idle },
  'all completed': { ...over, retry: idle, 'retry a': wrong, stop: idle },
}

const said = (answer: Awaited<ReturnType<Session['run']>>): string =>
  answer.kind === 'refused'
    ? answer.code
    : answer.events.map(({ type }) => type.replace('supervision.', '')).join(' ') || idle

describe.each(Object.keys(table) as Place[])('S1–S6 a worker that is %s', (place) => {
  test.each(Object.keys(inputs) as Command[])('%s', async (command) => {
    const { session } = await begin()
    await arrive[place](session)
    const before = session.seq
    const answer = await session.run(...inputs[command])
    expect(said(answer)).toBe(table[place][command])
    expect(session.seq).toBe(answer.kind === 'accepted' && answer.events.length > 0 ? before + 1 : before)
    if (answer.kind === 'refused') expect(answer.hint).toBeTruthy()
  })
})

const refusals: readonly (readonly [rule: string, input: object, code: string, words: RegExp])[] = [
  [
    'S2 a cycle, with its path',
    { workers: [plan('a', 'c'), plan('b', 'a'), plan('c', 'b')] },
    'DEPENDENCY_CYCLE',
    /a → c → b → a/,
  ],
  ['S2 a worker that needs itself', { workers: [plan('a', 'a')] }, 'DEPENDENCY_CYCLE', /a → a/],
  [
    'S2 one file claimed twice',
    {
      workers: [
        { id: 'a', files: ['src/x.ts'] },
        { id: 'b', files: ['src/*.ts'] },
      ],
    },
    'FILES_CLAIMED',
    /"src\/x.ts" and "src\/\*.ts"/,
  ],
  ['a need that is not there', { workers: [plan('a', 'b')] }, 'INPUT_INVALID', /needs "b"/],
  ['two of a name', { workers: [plan('a'), plan('a')] }, 'INPUT_INVALID', /two workers/],
  ['needs in research', { kind: 'research', workers: [plan('a'), plan('b', 'a')] }, 'INPUT_INVALID', /all at once/],
  ['a stage outside testing', { workers: [{ id: 'a', stage: 'generation' }] }, 'INPUT_INVALID', /only testing/],
  ['no stage in testing', { kind: 'testing', workers: [plan('a')] }, 'INPUT_INVALID', /no stage/],
  [
    'a stage nobody knows',
    { kind: 'testing', workers: [{ id: 'a', stage: 'late' }] },
    'INPUT_INVALID',
    /generation, execution, validation/,
  ],
  [
    'a need of a later stage',
    {
      kind: 'testing',
      workers: [
        { id: 'a', stage: 'generation', needs: ['b'] },
        { id: 'b', stage: 'execution' },
      ],
    },
    'INPUT_INVALID',
    /later stage/,
  ],
  ['nobody', { workers: [] }, 'INPUT_INVALID', /workers/],
  ['a name that is never stored', { workers: [plan('__proto__')] }, 'INPUT_INVALID', /nobody may have/],
  ['a file outside the project', { workers: [{ id: 'a', files: ['../x'] }] }, 'INPUT_INVALID', /inside the project/],
  ['a member that is misspelt', { workers: [{ id: 'a', need: ['b'] }] }, 'INPUT_INVALID', /need/],
  ['a share above one', { workers: [plan('a')], min_success: 2 }, 'INPUT_INVALID', /min_success/],
]

describe('plans that are refused', () => {
  test.each(refusals)('%s', async (_, input, code, words) => {
    const { session } = await begin()
    const answer = await session.run('supervise.start', { kind: 'implementation', ...input })
    expect(answer).toMatchObject({ kind: 'refused', code })
    expect(answer.kind === 'refused' && answer.message).toMatch(words)
  })

  test('S2 files of another supervisor under way, until its worker is over', async () => {
    const { session } = await begin()
    await start(session, [{ id: 'a', files: ['src'] }])
    const second = () => start(session, [{ id: 'b', files: ['src/b.ts'] }], { id: 'two' })
    expect(await second()).toMatchObject({ code: 'FILES_CLAIMED' })
    await session.run('supervise.report', { worker: 'a' })
    expect(await second()).toMatchObject({ kind: 'accepted' })
  })

  test('S2 in testing only those of one stage work at the same time', async () => {
    const { session } = await begin()
    const at = (id: string, stage: string) => ({ id, stage, files: ['test'] })
    const both = [at('a', 'generation'), at('b', 'execution')]
    expect(await session.run('supervise.start', { kind: 'testing', workers: both })).toMatchObject({ kind: 'accepted' })
    const clash = [at('a', 'generation'), at('b', 'generation')]
    const answer = await session.run('supervise.start', { kind: 'testing', workers: clash, id: 'two' })
    expect(answer).toMatchObject({ code: 'FILES_CLAIMED' })
  })
})

describe('what is told', () => {
  test('S3 S5 S6 a failed track, what it skips, and a retry of only these', async () => {
    const { session } = await begin()
    await start(session, [plan('api'), plan('docs'), plan('page', 'api'), plan('tests', 'page')], { min_success: 0.75 })
    expect(record(session).waves).toEqual([['api', 'docs'], ['page'], ['tests']])
    await session.run('supervise.report', { worker: 'docs', text: '# Docs' })
    const answer = await session.run('supervise.fail', { worker: 'api', reason: 'timeout' })
    expect(said(answer)).toBe('worker-failed worker-skipped worker-skipped ended')
    expect(record(session)).toMatchObject({ status: 'failed' })
    expect(worker(session, 'tests')).toMatchObject({ status: 'skipped', reason: 'needs page, which was skipped' })
    const docs = worker(session, 'docs')
    await session.run('supervise.retry')
    expect(worker(session, 'docs')).toEqual(docs)
    for (const id of ['api', 'page', 'tests']) await session.run('supervise.report', { worker: id })
    expect(record(session)).toMatchObject({ status: 'completed' })
    expect(worker(session, 'api').attempts).toBe(2)
  })

  test('S3 a retry of one opens what waited for it alone', async () => {
    const { session } = await begin()
    await start(session, [plan('a'), plan('b'), plan('c', 'a'), plan('d', 'a', 'b')])
    await session.run('supervise.fail', { worker: 'a', reason: 'x' })
    await session.run('supervise.fail', { worker: 'b', reason: 'x' })
    await session.run('supervise.retry', { workers: ['a'] })
    const statuses = Object.values(record(session).workers).map(({ status }) => status)
    expect(statuses).toEqual(['pending', 'failed', 'pending', 'skipped'])
  })

  test('S1 stages follow each other when the share of the one before is met', async () => {
    const { session } = await begin()
    const at = (id: string, stage: string) => ({ id, stage })
    const workers = [
      at('unit', 'generation'),
      at('e2e', 'generation'),
      at('run', 'execution'),
      at('judge', 'validation'),
    ]
    await session.run('supervise.start', { kind: 'testing', workers })
    const early = await session.run('supervise.begin', { worker: 'run' })
    expect(early).toMatchObject({
      code: wrong,
      message: 'worker "run" is pending and cannot begin: stage "generation" is not over',
    })
    await session.run('supervise.fail', { worker: 'e2e', reason: 'x' })
    await session.run('supervise.report', { worker: 'unit' })
    const metrics = { total_tests: 157, passed: 152, failed: 5, coverage_percent: 87.3 }
    await session.run('supervise.report', { worker: 'run', metrics })
    const { value } = (await session.run('supervise.show')) as { value: unknown }
    expect(value).toMatchObject({
      stage: 'validation',
      stages_completed: ['generation', 'execution'],
      aggregate: { metrics },
    })
    const failing = await session.run('supervise.fail', { worker: 'judge', reason: 'x' })
    expect(said(failing)).toBe('worker-failed ended')
    expect(record(session, 'testing')).toMatchObject({ status: 'partial_success' })
  })

  test('S4 the token of an attempt that was retried is worth nothing', async () => {
    const { session } = await begin()
    await start(session, [plan('a')])
    const { value } = (await session.run('supervise.begin', { worker: 'a' })) as { value: { token: number } }
    await session.run('supervise.fail', { worker: 'a', reason: 'lost' })
    await session.run('supervise.retry')
    expect(await session.run('supervise.report', { worker: 'a', token: value.token })).toMatchObject({ code: lost })
    const again = (await session.run('supervise.begin', { worker: 'a' })) as { value: { token: number } }
    expect(again.value.token).toBeGreaterThan(value.token)
    expect(await session.run('supervise.report', { worker: 'a', token: again.value.token })).toMatchObject({
      kind: 'accepted',
    })
  })

  test('the same report twice adds nothing; another is refused', async () => {
    const { session } = await begin()
    await start(session, [plan('a'), plan('z')])
    const report = (text: string) => session.run('supervise.report', { worker: 'a', text })
    expect(said(await report('# One'))).toBe('worker-reported')
    expect(said(await report('# One'))).toBe(idle)
    expect(said(await report('# Two'))).toBe(wrong)
  })

  test('which supervisor: the only running one, else it must be said', async () => {
    const { session } = await begin()
    expect(await session.run('supervise.begin', { worker: 'a' })).toMatchObject({ code: 'NOT_FOUND' })
    await start(session, [plan('a')])
    await start(session, [plan('a')])
    expect(Object.keys(session.get('$.supervision.supervisors') as object)).toEqual([
      'implementation',
      'implementation-2',
    ])
    expect(await session.run('supervise.begin', { worker: 'a' })).toMatchObject({
      code: 'INPUT_INVALID',
      message: 'which supervisor? implementation, implementation-2',
    })
    expect(await start(session, [plan('a')], { id: 'implementation' })).toMatchObject({ code: 'NAME_TAKEN' })
    expect(await session.run('supervise.begin', { worker: 'x', supervisor: 'implementation' })).toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})
