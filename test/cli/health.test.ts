/* Figures against limits, and what people see of needs and metrics. */
import * as fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 'build', '--mode', 'development')
})
afterAll(() => place.remove())

interface Checked {
  readonly status: string
  readonly checks: readonly { readonly name: string; readonly status: string; readonly next: string | null }[]
}

const config = (value: unknown) => place.file('.steadfold/config.json', JSON.stringify(value))

describe('health', () => {
  test('every figure has a limit, and what is well has no next step', () => {
    config({ health: { disk: { warning: 2, critical: 1 } } })
    const { status, checks } = place.data<Checked>('health')
    expect(status).toBe('ok')
    expect(checks.map(({ name }) => name).toSorted()).toEqual([
      'clock_skew',
      'damage',
      'disk',
      'lease_lag',
      'log_size',
      'spool_backlog',
    ])
    expect(checks.filter(({ next }) => next !== null)).toEqual([])
  })

  test('a limit of config.json that is reached is a warning; as critical it is exit 8, with the next step', () => {
    config({ health: { log_size: { warning: 1 }, disk: { warning: 2, critical: 1 } } })
    const warned = place.run('health')
    expect([warned.status, warned.out]).toEqual([
      0,
      expect.stringMatching(/^warn {2}log size .*limit 1 byte .*build$/m),
    ])
    config({ health: { log_size: { warning: 1, critical: 2 } } })
    const failed = place.run('health')
    expect([failed.status, failed.out]).toEqual([8, expect.stringMatching(/^fail .*\n +next: .*session end build$/m)])
  })

  test.each([
    [{ health: { dusk: { warning: 1 } } }, 'it has no setting "health.dusk"'],
    [{ health: { disk: { warning: 'much' } } }, '"health.disk.warning" must be a number, above 0'],
    [{ health: 5 }, '"health" must be an object'],
    [{ telemetry: 'yes' }, '"telemetry" must be a boolean'],
  ])('%j is refused', (value, said) => {
    config(value)
    const { status, err } = place.run('health')
    config({})
    expect([status, err]).toEqual([4, expect.stringContaining(said)])
  })
})

test('V1 the document of a damaged session says so, as health does', () => {
  const damaged = new Place()
  const { session } = damaged.data<{ readonly session: { readonly id: string } }>('session', 'create', 'bad')
  for (const value of ['one', 'two']) damaged.data('state', 'set', 'data.a', value)
  const log = `${damaged.dir}/.steadfold/sessions/${session.id}/log/00000000000000000001.jsonl`
  fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"one"', '"six"'))
  const told = damaged.run('health', '--session', session.id).status
  const read = damaged.data('state', 'get', 'observability.health')
  damaged.remove()
  expect(told).toBe(9)
  expect(read).toMatchObject({
    value: {
      system_status: 'critical',
      checks: { damage: { status: 'fail', details: '1; steadfold verify --session bad' } },
    },
  })
})

describe('inbox', () => {
  test('is a list in --json, in the order of kinds, and exits 0', () => {
    place.data('task', 'add', 'a')
    place.data('task', 'block', 'task-1', '--reason', 'not yet')
    place.data('consent', 'ask', 'lock.break', 'b is gone', '--as', 'agent:a')
    const list = place.data<readonly Record<string, unknown>[]>('inbox')
    expect(list.map(({ kind, what }) => [kind, what])).toEqual([
      ['ASK', 'a'],
      ['BLOCKED', 'task task-1'],
    ])
    for (const need of list)
      expect(Object.keys(need).toSorted()).toEqual(
        ['age_ms', 'kind', 'name', 'next', 'session', 'since', 'what', 'why'].toSorted(),
      )
  })

  test('each need can be answered with the command it names', () => {
    const list = place.data<readonly { readonly next: string }[]>('inbox')
    for (const { next } of list) expect(place.run(...next.split(' ').slice(1)).status, next).toBe(0)
    expect(place.run('inbox')).toMatchObject({ status: 0, out: 'nothing needs you\n' })
  })
})

test('no line of status is wider than the terminal, and names are whole', () => {
  const name = 'a-name-as-long-as-some-give'
  place.data('session', 'create', name)
  place.data('task', 'add', 'x', '--session', name)
  place.data('task', 'block', 'task-1', '--reason', 'so many words '.repeat(20), '--session', name)
  const lines = place.run('status').out.split('\n')
  const own = lines.filter((line) => line.includes(name) && !line.includes('steadfold'))
  expect(own.length).toBeGreaterThan(0)
  for (const line of own) expect(line.length).toBeLessThanOrEqual(80)
  expect(place.run('session', 'list').out).toMatch(new RegExp(`^${name} .*[0-9a-f-]{36}$`, 'm'))
})

test('a session past its expiry is terminating for whoever reads, and the inbox says how to go on', async () => {
  const place2 = new Place()
  place2.data('session', 'create', 'short')
  place2.data('session', 'extend', '0.0001')
  await expect
    .poll(() => place2.data<readonly { readonly status: string }[]>('session', 'list')[0]?.status, { timeout: 60_000 })
    .toBe('terminating')
  expect(
    place2.data<readonly { readonly kind: string; readonly next: string }[]>('inbox', '--session', 'short'),
  ).toMatchObject([{ kind: 'EXPIRED', next: 'steadfold session extend 8 --session short' }])
  place2.remove()
})

test('stats tell metrics and recent events', () => {
  const { metrics, recent } = place.data<{ readonly metrics: object; readonly recent: readonly object[] }>(
    'stats',
    '--session',
    'build',
  )
  expect(metrics).toMatchObject({
    performance: { state_query_time_ms: expect.any(Number) as unknown, total_tokens_used: 0 },
    utilization: { cpu_usage_percent: expect.any(Number) as unknown, queue_depths: { tasks: 1 } },
    quality: { task_completion_rate: 0 },
  })
  expect(recent.at(0)).toMatchObject({ type: 'session.created', severity: 'info' })
})
