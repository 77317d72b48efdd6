/* An agent that nobody watches, and that is gone without a word. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'
import { until } from '../until.ts'

let place: Place
let agent: ChildProcess | undefined
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'one')
})
afterEach(() => {
  agent?.kill('SIGKILL')
  place.remove()
})

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const tell = (name: string) =>
  place.runWith({ input: JSON.stringify({ session_id: ID, hook_event_name: name, cwd: place.dir }) }, 'hook', 'claude')

/** A program of the agent's name that tells its hook that it begins, by a shell as agents do, and works on. */
async function begins(env: Readonly<Record<string, string>> = {}): Promise<void> {
  place.file('event', JSON.stringify({ session_id: ID, hook_event_name: 'SessionStart', cwd: place.dir }))
  const hook = `sh -c '"${process.execPath}" "${PROGRAM}" hook claude <event >told'; exec sleep 600`
  place.file('agent', `exec -a claude bash -c ${JSON.stringify(hook).replaceAll('$', String.raw`\$`)}`)
  agent = spawn('bash', ['agent'], { cwd: place.dir, env: plainEnv(env) })
  const told = path.join(place.dir, 'told')
  await until(() => fs.existsSync(told) && fs.statSync(told).size > 0)
}

const gone = () =>
  new Promise((resolve) => {
    agent?.once('close', resolve)
    agent?.kill('SIGKILL')
  })
const needs = () => place.data<{ needs_you: readonly { kind: string; why: string }[] }>('status').needs_you

test('one that died at work is lost, by evidence, and recover says how it is taken up again', async () => {
  await begins()
  tell('PreToolUse')
  expect(needs()).toEqual([])
  expect(place.run('status').out).toContain('1 agent')
  const env = { CLAUDE_CODE_SESSION_ID: ID }
  place.run('task', 'add', 'hash')
  for (const line of ['task claim --any', 'lock acquire a.ts'])
    expect(place.runWith({ env }, ...line.split(' ')).status).toBe(0)
  place.run('lock', 'acquire', 'b.ts')
  await gone()
  expect(needs()).toMatchObject([{ kind: 'LOST', why: expect.stringMatching(/^pid \d+ not running$/) }])
  expect(place.run('status').out).not.toContain('1 agent')
  const done = place.run('recover')
  expect(done).toMatchObject({ status: 0, out: expect.stringContaining(`claude --resume ${ID}`) })
  expect(needs()).toEqual([])
  expect(place.data<{ value: readonly object[] }>('activity', 'list').value).toMatchObject([
    { status: 'ended', cause: 'crashed', who: 'agent:claude-7728950e' },
  ])
  expect(place.data<{ value: readonly object[] }>('task', 'list').value).toMatchObject([{ status: 'pending' }])
  const locks = place.data<readonly object[]>('lock', 'list')
  expect(locks).toMatchObject([{ resource: 'b.ts', holder: 'human:tester' }])
})

test('what one held stays while another that goes on has its name', async () => {
  const env = { STEADFOLD_ACTOR: 'agent:lead' }
  place.runWith({ env }, 'lock', 'acquire', 'a.ts')
  const input = JSON.stringify({ session_id: 'other', hook_event_name: 'SessionStart', cwd: place.dir })
  place.runWith({ env, input }, 'hook', 'claude')
  await begins(env)
  tell('PreToolUse')
  await gone()
  expect(place.run('recover').status).toBe(0)
  expect(place.data<readonly object[]>('lock', 'list')).toMatchObject([{ holder: 'agent:lead' }])
})

test('one that ended, or was at rest, is no loss', async () => {
  await begins()
  tell('Stop')
  await gone()
  expect(needs()).toEqual([])
})

test('one that is taken up again lives by its new process', async () => {
  await begins()
  tell('PreToolUse')
  await gone()
  fs.rmSync(path.join(place.dir, 'told'))
  await begins()
  tell('PreToolUse')
  expect(needs()).toEqual([])
})
