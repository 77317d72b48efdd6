import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  expect(place.run('session', 'create', 'one').status).toBe(0)
})
afterEach(() => place.remove())

const held = () => place.data<{ readonly length: number }>('lock', 'list').length

test('W1 W3 lock with gives the status of its command and the lock back', () => {
  const cases = [
    [['sh', '-c', 'exit 0'], 0],
    [['sh', '-c', 'exit 7'], 7],
    [['sh', '-c', 'kill -9 $$'], 137],
    [['/does/not/exist'], 127],
    [['/etc/passwd/x'], 126],
  ] as const
  for (const [argv, status] of cases) {
    expect(place.run('lock', 'with', 'db', '--', ...argv).status).toBe(status)
    expect(held()).toBe(0)
  }
})

test('W3 lock with takes no lock for a command without a name', () => {
  expect(place.run('lock', 'with', 'db', '--', '')).toMatchObject({ status: 64 })
  expect(held()).toBe(0)
})

test('W3 lock with says what to do when its command cannot be started', () => {
  place.file('notes.txt', '')
  const said = [['nosuchcmd'], ['./nosuch cmd'], ['./notes.txt']].map(
    (argv) => place.run('lock', 'with', 'db', '--', ...argv).err,
  )
  expect(said).toEqual([
    expect.stringMatching(/^error: cannot run nosuchcmd: ENOENT\nnext: name a program that is on the PATH/),
    expect.stringMatching(/\nnext: is it there\? ls -l '\.\/nosuch cmd'\n$/),
    expect.stringMatching(/EACCES\nnext: may it be run\? ls -l \.\/notes\.txt\n$/),
  ])
})

test('a person who has a lock already hears that two terminals are one holder; an agent that asks again does not', () => {
  const acquire = (...as: readonly string[]) => place.run('lock', 'acquire', 'db', ...as)
  const [first, second] = [acquire(), acquire()]
  expect([first.err, second.out]).toEqual(['', first.out])
  expect(second.err).toContain('human:tester held db before: two terminals under one name are one holder')
  expect(acquire('--as', 'human:ana').status).toBe(6)
  place.run('lock', 'release', 'db')
  expect([acquire('--as', 'agent:dev').err, acquire('--as', 'agent:dev').err]).toEqual(['', ''])
})

test('W1 lock with waits for its turn, gives up in time and is let in by its own lock', async () => {
  const first = place.start('lock', 'with', 'db', '--', 'sh', '-c', 'until [ -e go ]; do sleep 0.05; done')
  await until(() => held() === 1)
  expect(place.run('lock', 'acquire', 'db').status).toBe(6)
  expect(place.run('lock', 'with', 'db', '--wait', '100ms', '--', 'true').status).toBe(7)
  const second = place.start('lock', 'with', 'db', '--', 'true')
  const ended = Promise.all([once(first, 'exit'), once(second, 'exit')])
  await until(() => held() === 2)
  place.file('go', '')
  expect((await ended).map(([status]: readonly unknown[]) => status)).toEqual([0, 0])
  const inner = `"${process.execPath}" "${process.cwd()}/dist/steadfold.cjs" lock with db --wait 1s -- echo inside`
  expect(place.run('lock', 'with', 'db', '--', 'sh', '-c', inner)).toMatchObject({ status: 0, out: 'inside\n' })
})

test('who waits and dies is granted the lock for half a minute at most; who lives has it for the time it asked for', async () => {
  const acquire = (...more: readonly string[]) => ['lock', 'acquire', 'db', '--ttl', '2h', ...more, '--json'] as const
  const first = place.data<{ readonly token: number }>(...acquire('--as', 'agent:a'))
  const dead = place.start(...acquire('--wait', '10m', '--as', 'agent:dead'))
  await until(() => held() === 2)
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  const living = place.start(...acquire('--wait', '10m', '--as', 'agent:living'))
  await until(() => held() === 3)
  expect(place.run('lock', 'release', 'db', String(first.token), '--as', 'agent:a')).toMatchObject({ status: 0 })
  const now = () => place.data<readonly { readonly holder: string; readonly until: string }[]>('lock', 'list')[0]
  const left = () => Date.parse(now()?.until ?? '') - Date.now()
  expect(now()).toMatchObject({ holder: 'agent:dead' })
  expect(left()).toBeLessThanOrEqual(30_000)
  const ended = once(living, 'exit')
  place.run('lock', 'break', 'db', '--cause', 'holder-gone')
  expect((await ended)[0]).toBe(0)
  expect(now()).toMatchObject({ holder: 'agent:living' })
  expect(left()).toBeGreaterThan(3_600_000)
})

test('K6 who waits writes down its place once, however much is written meanwhile', async () => {
  const first = place.start('lock', 'with', 'db', '--', 'sh', '-c', 'until [ -e go ]; do sleep 0.05; done')
  await until(() => held() === 1)
  const waiting = [1, 2].map((n) => place.start('lock', 'with', 'db', '--as', `agent:w${n}`, '--', 'true'))
  const ended = Promise.all([first, ...waiting].map((child) => once(child, 'exit')))
  await until(() => held() === 3)
  for (let n = 0; n < 5; n++) expect(place.run('state', 'set', 'data.n', `${n}`).status).toBe(0)
  place.file('go', '')
  expect((await ended).map(([status]: readonly unknown[]) => status)).toEqual([0, 0, 0])
  expect(place.data('log', '--op', 'lock.acquire')).toHaveLength(3)
})

test('W4 lock with tells its command of a hangup, and gives the lock back when that has ended', async () => {
  const run = place.start('lock', 'with', 'db', '--', 'sh', '-c', 'touch begun; exec sleep 60')
  const ended: Promise<readonly unknown[]> = once(run, 'exit')
  await until(() => existsSync(path.join(place.dir, 'begun')))
  run.kill('SIGHUP')
  expect([(await ended)[0], held()]).toEqual([129, 0])
})

test('W1 lock with renews a lock that is shorter than its command', () => {
  expect(place.run('lock', 'with', 'db', '--ttl', '4s', '--', 'sleep', '5').status).toBe(0)
})

test('W2 a command whose lock was broken is stopped: exit 6', async () => {
  const child = place.start('lock', 'with', 'db', '--ttl', '6s', '--', 'sleep', '30')
  const exited = once(child, 'exit')
  await until(() => held() === 1)
  expect(place.run('lock', 'break', 'db', '--cause', 'stuck').status).toBe(0)
  expect((await exited)[0]).toBe(6)
})

test('W1 lock with gives the lock back when it is told to stop', async () => {
  const child = place.start('lock', 'with', 'db', '--', 'sleep', '30')
  const exited = once(child, 'exit')
  await until(() => held() === 1)
  child.kill('SIGTERM')
  expect((await exited)[0]).toBe(143)
  expect(held()).toBe(0)
})

test('message receive says that an emergency, once taken, holds back the others', () => {
  for (const [text, channel] of [
    ['later', 'direct'],
    ['stop', 'emergency'],
  ] as const)
    place.data('message', 'send', text, '--to', 'b', '--channel', channel)
  const receive = () => place.run('message', 'receive', '--as', 'agent:b').out
  expect(receive()).toContain('stop')
  expect(receive()).toContain('nothing before the emergency that was taken is acknowledged')
  const [{ id, token } = { id: '', token: 0 }] = place
    .data<{ readonly value: readonly { readonly id: string; readonly token: number }[] }>('message', 'list')
    .value.filter((row) => typeof row.token === 'number')
  place.data('message', 'ack', id, String(token), '--as', 'agent:b')
  expect(receive()).toContain('later')
  expect(receive()).toBe('no messages\n')
})

test('message receive waits for what is sent, and says when nothing came', async () => {
  const child = place.start('message', 'receive', '--agent', 'w', '--wait', '20s', '--json')
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const closed = once(child, 'close')
  expect(place.run('message', 'send', 'hello', '--to', 'w').status).toBe(0)
  await closed
  expect(JSON.parse(out)).toMatchObject({ data: { messages: [{ payload: 'hello', agent: 'w', attempt: 1 }] } })
  expect(place.run('message', 'receive', '--agent', 'w', '--wait', '100ms').status).toBe(7)
})

test('lock acquire and message receive are writes as all others: --key, --if-seq and --dry-run', () => {
  const taken = place.data<{ readonly token: number }>('lock', 'acquire', 'db', '--key', 'k1')
  expect(place.run('lock', 'release', 'db').status).toBe(0)
  expect(place.data('lock', 'acquire', 'db', '--key', 'k1')).toMatchObject({
    held: true,
    token: taken.token,
    repeated: true,
  })
  expect(place.run('lock', 'acquire', 'db', '--key', 'k1').out).toBe(`${taken.token}\n`)
  expect(place.run('lock', 'acquire', 'other', '--if-seq', '1').status).toBe(5)
  expect(place.run('lock', 'acquire', 'other', '-n').out).toMatch(/^would write /)
  expect(held()).toBe(0)

  place.run('message', 'send', 'hello', '--to', 'a')
  expect(place.run('message', 'receive', '--agent', 'a', '--if-seq', '1').status).toBe(5)
  expect(place.run('message', 'receive', '--agent', 'a', '-n').out).toMatch(/^would write /)
  const first = place.data<{ readonly messages: readonly unknown[] }>(
    'message',
    'receive',
    '--agent',
    'a',
    '--key',
    'k2',
  )
  expect(first.messages).toMatchObject([{ payload: 'hello' }])
  expect(place.data('message', 'receive', '--agent', 'a', '--key', 'k2')).toMatchObject({
    messages: first.messages,
    repeated: true,
  })
  for (const line of ['lock acquire db', 'message receive --agent a'])
    for (const flag of [['--key', 'k3'], ['--if-seq', '1'], ['-n']])
      expect(place.run(...line.split(' '), '--wait', '1s', ...flag).status, `${line} ${flag.join(' ')}`).toBe(64)
})
