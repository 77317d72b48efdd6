/* Words of a command that are called like a flag of every write: each is what it says, and only that. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

interface Commit {
  readonly op: string
  readonly key?: string
  readonly reason?: string
}

let place: Place
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 'main')
})
afterAll(() => place.remove())

const last = (): Commit | undefined => place.data<readonly Commit[]>('log', '-n', '1')[0]

test('chat remember keeps the value that was given last', () => {
  place.data('chat', 'open', 'login')
  const remember = (value: string) =>
    place.data('chat', 'remember', 'login', 'claude_session_id', value, '--agent', 'coder')
  remember('7b0e')
  expect(remember('8c1f')).not.toHaveProperty('repeated')
  expect(place.run('state', 'get').out).toContain('"claude_session_id": "8c1f"')
  place.data('chat', 'remember', 'login', 'claude_session_id', '9d', '--agent', 'coder', '--key', 'once')
  const again = place.data('chat', 'remember', 'login', 'claude_session_id', '9d', '--agent', 'coder', '--key', 'once')
  expect(again).toMatchObject({ repeated: true })
})

test('session mark names the point that it is given', () => {
  const { seq } = place.data<{ readonly seq: number }>('state', 'set', 'data.x', '1')
  place.data('state', 'set', 'data.x', '2')
  place.data('session', 'mark', 'earlier', String(seq))
  place.data('session', 'mark', 'before', '@-2')
  expect(place.data('session', 'show')).toMatchObject({ session: { marks: { earlier: seq, before: seq } } })
  expect(place.run('state', 'get', 'data.x', '--at', 'earlier').out).toBe('1\n')
})

test('state history tells null from what was deleted', () => {
  for (const line of ['set data.gone null', 'delete data.gone']) place.data('state', ...line.split(' '))
  expect(place.data('state', 'history', 'data.gone')).toMatchObject([
    { value: null, exists: true },
    { value: null, exists: false },
  ])
  expect(place.run('state', 'history', 'data.gone').out).toMatch(/  null\n.*  \(deleted\)\n$/)
})

test('chat fork goes on from the message that it is given', () => {
  place.data('chat', 'open', 'plans')
  const [first = ''] = ['one', 'two'].map(
    (text) => /"id":"([0-9a-f]+)"/.exec(JSON.stringify(place.data('chat', 'post', 'plans', text)))?.[1],
  )
  place.data('chat', 'fork', 'plans', first, '--id', 'plans-again')
  const texts = place.run('chat', 'read', 'plans-again', 'planner').out
  expect(texts).toContain('one')
  expect(texts).not.toContain('two')
})

test('workflow fail has a reason of its own beside the one that is kept in the log', () => {
  place.data('workflow', 'transition', 'research')
  place.data('workflow', 'transition', 'plan', '--begin')
  const { events } = place.data<{ readonly events: unknown }>('workflow', 'fail', '3 tests fail', '--reason', 'by hand')
  expect(JSON.stringify(events)).toContain('3 tests fail')
  expect(last()).toMatchObject({ op: 'workflow.fail', reason: 'by hand' })
})

test('supervise fail has one, too', () => {
  place.data('supervise', 'start', 'research', 'sessions', 'passwords')
  place.data('supervise', 'fail', 'sessions', 'timeout', '--reason', 'by hand')
  expect(last()).toMatchObject({ op: 'supervise.fail', reason: 'by hand' })
  expect(place.run('supervise', 'show', '--json').out).toContain('timeout')
})

test('a reason that an operation is told is why it was done', () => {
  place.data('task', 'add', 'one')
  place.data('task', 'cancel', 'task-1', '--reason', 'not needed')
  expect(last()).toMatchObject({ op: 'task.cancel', reason: 'not needed' })
})
