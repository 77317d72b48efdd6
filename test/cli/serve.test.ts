/* The daemon as a process, found and ended by other commands; and both ways of writing at once. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { plainEnv, Place, PROGRAM } from './binary.ts'

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly pid: number
  readonly ended: Promise<number | null>
}

let place: Place
const open: ChildProcess[] = []

beforeEach(() => {
  place = new Place()
  place.run('session', 'create', 'a')
})
afterEach(() => {
  for (const child of open.splice(0)) child.kill('SIGKILL')
  place.remove()
})

const start = (...args: readonly string[]): Promise<Started> => startIn({}, ...args)

async function startIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Started> {
  return startedBy(place.startWith({ env }, 'serve', '--json', ...args))
}

async function startedBy(child: ChildProcess & { readonly stdout: Readable }): Promise<Started> {
  open.push(child)
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { readonly type: string; readonly url: string; readonly pid: number }
    if (said.type === 'started') return { child, ended, ...said }
  }
  throw new Error('it did not start')
}

const file = () => path.join(place.dir, '.steadfold', 'daemon.json')
const token = () => (JSON.parse(fs.readFileSync(file(), 'utf8')) as { readonly token: string }).token

function post(url: string, target: string, body: unknown) {
  const headers = { Authorization: `Bearer ${token()}`, 'Content-Type': 'application/json' }
  return fetch(`${url}${target}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('one daemon a workspace', () => {
  test('it is found, a second one is refused, and it ends when asked', async () => {
    const { url, pid, ended } = await start()
    expect(place.data('serve', '--status')).toMatchObject({ running: true, url, pid })
    expect(place.run('serve').status).toBe(6)
    expect(place.data('serve', '--stop')).toEqual({ stopped: true, pid })
    expect(await ended).toBe(143)
    expect(fs.existsSync(file())).toBe(false)
    expect(place.run('serve', '--status').status).toBe(8)
    expect(place.data('serve', '--stop')).toEqual({ stopped: false })
  })

  test('what is pressed on its pages is done by a person, also where an agent began it', async () => {
    const { url } = await startIn({ CLAUDE_CODE_SESSION_ID: '0f8fad5b', STEADFOLD_ACTOR: 'agent:lead' })
    const done = await post(url, '/v1/sessions/a/state.set', { path: 'data.a', value: 1 })
    expect(done.status).toBe(200)
    expect(place.data<readonly object[]>('log', '-n', '1')).toMatchObject([{ op: 'state.set', actor: 'human:tester' }])
  })

  test('Ctrl-C ends it with 130', async () => {
    const { child, ended } = await start()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(fs.existsSync(file())).toBe(false)
  })

  test('one that was killed is seen to be gone, and the next one takes over', async () => {
    const { child, url, ended } = await start()
    child.kill('SIGKILL')
    await ended
    expect(fs.existsSync(file())).toBe(true)
    expect(place.run('serve', '--status').status).toBe(8)
    expect((await start()).url).toBe(url)
  })

  test('ui prints a link that opens once', async () => {
    const { url } = await start()
    const { url: link } = place.data<{ readonly url: string }>('ui')
    expect(link).toMatch(new RegExp(`^${url}/#token=[\\w-]{43}$`))
    const word = new URL(link).hash.slice('#token='.length)
    const login = () =>
      fetch(`${url}/v1/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: word }),
      })
    expect((await login()).status).toBe(200)
    expect((await login()).status).toBe(401)
  })
})

test('it goes on where it has no descriptor left to look whether its file is there', async () => {
  const few = ['-c', 'ulimit -n 60; exec "$0" "$@"', process.execPath, PROGRAM, 'serve', '--json', '--dir', place.dir]
  const { url } = await startedBy(spawn('bash', few, { env: plainEnv(), stdio: ['ignore', 'pipe', 'pipe'] }))
  const { port, hostname } = new URL(url)
  const sockets = Array.from({ length: 60 }, () => net.connect(Number(port), hostname).on('error', () => undefined))
  // It looks every two seconds.
  await sleep(3000)
  for (const socket of sockets) socket.destroy()
  const status = () => post(url, '/v1/sessions/a/state.set', { path: 'data.a', value: 1 }).then((done) => done.status)
  await expect.poll(() => status().catch(() => 0)).toBe(200)
})

test('the command line and HTTP write to one session at once, and nothing is lost', async () => {
  const { url } = await start()
  const each = 12
  const byHttp = Array.from({ length: each }, async (_, i) => {
    const answer = await post(url, '/v1/sessions/a/state.set', { path: `data.http${i}`, value: i })
    return ((await answer.json()) as { readonly data: { readonly seq: number } }).data.seq
  })
  const byCli = Array.from({ length: each }, async (_, i) => {
    const child = place.start('state', 'set', `data.cli${i}`, String(i), '--json')
    const text = (await child.stdout.toArray()).map(String).join('')
    return (JSON.parse(text) as { readonly data: { readonly seq: number } }).data.seq
  })
  const seqs = await Promise.all([...byHttp, ...byCli])
  expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 2 * each }, (_, i) => i + 2))
  const state = await fetch(`${url}/v1/sessions/a/state?path=data`, { headers: { Authorization: `Bearer ${token()}` } })
  const { data } = (await state.json()) as { readonly data: { readonly value: object } }
  expect(Object.keys(data.value)).toHaveLength(2 * each)
  expect(place.data('state', 'get', 'data')).toMatchObject({ value: data.value })
  expect(place.data('verify')).toMatchObject([{ ok: true, seq: 2 * each + 1, torn: 0 }])
})
