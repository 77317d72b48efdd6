/* Bounds of the log: points, and times. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { Place } from './binary.ts'

interface Commit {
  readonly seq: number
  readonly at: string
}

let place: Place
let all: readonly Commit[]
beforeAll(async () => {
  place = new Place()
  place.data('session', 'create', 'main')
  for (const n of [1, 2, 3]) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    place.data('state', 'set', 'data.x', String(n))
  }
  all = place.data<readonly Commit[]>('log')
})
afterAll(() => place.remove())

const seqs = (...args: readonly string[]) => place.data<readonly Commit[]>('log', ...args).map(({ seq }) => seq)
const at = (seq: number): string => all[seq - 1]?.at ?? ''

test('a point is itself included', () => {
  expect(seqs('--since', '3')).toEqual([3, 4])
  expect(seqs('--since', '@')).toEqual([4])
  expect(seqs('--until', '2')).toEqual([1, 2])
})

test('as it was at a point, the log ends there, whatever else bounds it', () => {
  expect(seqs('--at', '2', '--until', '4')).toEqual([1, 2])
  expect(seqs('--session', 'main@3', '--until', '2')).toEqual([1, 2])
})

test('from a time on are the commits after it: all of a younger session, none when it is yet to come', () => {
  expect(seqs('--since', '2h')).toEqual([1, 2, 3, 4])
  expect(seqs('--since', '2020-01-01')).toEqual([1, 2, 3, 4])
  expect(seqs('--since', '2130-01-01')).toEqual([])
  expect(seqs('--since', at(2))).toEqual([3, 4])
  expect(place.run('log', '--since', '2h').out).toContain('session.create')
})

test('up to a time are the commits before and at it: none of a younger session', () => {
  expect(seqs('--until', '2130-01-01')).toEqual([1, 2, 3, 4])
  expect(seqs('--until', at(2))).toEqual([1, 2])
  expect(seqs('--until', '2h')).toEqual([])
})

test('what is no point is still refused', () => {
  for (const flag of ['--since', '--until']) expect(place.run('log', flag, 'nowhere').status).toBe(3)
})

test('there is no commit 0 to show', () => {
  const { status, out } = place.run('show', '0', '--json')
  expect([status, JSON.parse(out)]).toMatchObject([3, { error: { code: 'POINT_NOT_FOUND' } }])
  expect(place.data('show', '1')).toMatchObject({ seq: 1 })
})

test('a mark is shown by its name, also where that looks like a path', () => {
  const marked = new Place()
  marked.data('session', 'create', 'main')
  marked.data('state', 'set', 'data.x', '1')
  for (const name of ['v1.0', 'data.x.1', 'draft[1]']) marked.data('session', 'mark', name, '1')
  for (const name of ['v1.0', 'data.x.1', 'draft[1]']) expect(marked.data('show', name)).toMatchObject({ seq: 1 })
  expect(marked.data('show', 'data.x')).toMatchObject({ value: 1 })
  marked.remove()
})

test.each(['markdown', 'checkpoint', 'craft@1.0.0'])('nor is there a session before its first commit: %s', (format) => {
  const { status, out } = place.run('session', 'export', '--format', format, '--at', '0', '--json')
  expect([status, JSON.parse(out)]).toMatchObject([3, { error: { code: 'POINT_NOT_FOUND' } }])
  expect(place.data('session', 'export', '--format', format, '--at', '1')).toBeTypeOf('object')
})

test('of a damaged session what is proven is shown, and the command says so', () => {
  const damaged = new Place()
  damaged.data('session', 'create', 'main')
  for (const n of [1, 2, 3]) damaged.data('state', 'set', 'data.x', String(n))
  const [session = ''] = fs.readdirSync(path.join(damaged.dir, '.steadfold', 'sessions'))
  const log = path.join(damaged.dir, '.steadfold', 'sessions', session, 'log')
  const file = path.join(log, fs.readdirSync(log)[0] ?? '')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":2', '"value":7'))
  for (const line of [
    ['log', '-n', '1'],
    ['blame', 'data.x'],
    ['state', 'history', 'data.x'],
    ['stats'],
    ['diff', '1'],
    ['log', '--since', '2h'],
  ]) {
    const { status, out, err } = damaged.run(...line)
    expect([line, status, err]).toEqual([line, 0, expect.stringContaining('damaged') as unknown])
    expect(out.length, line.join(' ')).toBeGreaterThan(20)
  }
  expect(damaged.run('recover')).toMatchObject({
    out: 'nothing else is lost\n',
    err: expect.stringContaining(`steadfold verify --session ${session}`) as unknown,
  })
  expect(damaged.data<readonly Commit[]>('log').map(({ seq }) => seq)).toEqual([1, 2])
  damaged.remove()
})

test('what changed is told without its indexes, unless they are asked for', () => {
  const team = new Place()
  team.run('session', 'create', 'main')
  team.run('task', 'add', 'one')
  team.run('task', 'add', 'two')
  team.run('task', 'claim', '--any', '--as', 'agent:a')
  const { out } = team.run('diff', '@-1')
  expect(out).toContain("execution.tasks['task-1'].assignee")
  expect(out).not.toContain('task_index')
  const more = Number(/; (\d+) more in indexes: --all\n/.exec(out)?.[1])
  const rows = (text: string): number => text.trimEnd().split('\n').length - 1
  expect(rows(team.run('diff', '@-1', '--all').out)).toBe(rows(out) + more)
  const { changes } = team.data<{ readonly changes: readonly { readonly index?: boolean }[] }>('diff', '@-1')
  expect(changes.filter(({ index }) => index)).toHaveLength(more)
  expect(rows(team.run('diff', '@-1', '--path', 'execution.task_index').out)).toBe(more)
  team.remove()
})

test('where fewer of the last values are told than were asked for, that is said', async () => {
  const large = new Place()
  const workspace = await openWorkspace({ dir: large.dir })
  const session = await workspace.createSession({ name: 'main' })
  const half = 'x'.repeat(500_000)
  await session.run('state.set', { path: '$.data.large', value: { half, more: half } })
  for (let i = 0; i < 70; i++) await session.run('state.set', { path: '$.data.large.n', value: i })
  await workspace.close()
  const { status, out, err } = large.run('state', 'history', 'data.large', '-n', '70')
  const told = out.trimEnd().split('\n').length
  expect(told).toBeLessThan(70)
  expect([status, err]).toEqual([0, `only ${told}: more of these values cannot be told at once\n`])
  expect(large.run('state', 'history', 'data.large', '-n', '3').err).toBe('')
  large.remove()
})

test('where there is no terminal a line is whole: what is searched for is in it', () => {
  const long = new Place()
  long.data('session', 'create', 'main')
  const reason = `${'because '.repeat(20)}of the end`
  const name = `${'a'.repeat(50)}.the_end`
  expect(long.run('state', 'set', `data.${name}`, '1', '--reason', reason).out).toContain('the_end = 1')
  expect(long.run('log', '-n', '1').out).toContain(`the_end = 1  "${reason}"`)
  long.remove()
})
