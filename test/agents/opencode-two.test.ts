import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv } from '../cli/binary.ts'

const HOST = path.join(import.meta.dirname, 'opencode-two-host.mjs')
const ROOT = 'ses_root'
const NODES = path.dirname(process.execPath)
const SERVER = ['sh', '-c', expect.any(String), expect.stringContaining('steadfold.cjs'), NODES, 'mcp']
const CHILD = 'ses_child'

let place: Place
let plugin: string
beforeEach(() => {
  place = new Place()
  expect(place.run('session', 'create', 'one', '--goal', 'hash passwords').status).toBe(0)
  plugin = path.join(place.dir, '.opencode/plugins/steadfold.js')
})
afterEach(() => place.remove())

type Call = readonly [name: string, event?: object]

interface Answer {
  readonly name: string
  readonly event?: { readonly system?: readonly { readonly text: string }[] }
  readonly error?: string
}

interface Played {
  readonly id: string
  readonly hooks: readonly string[]
  readonly servers: Readonly<Record<string, unknown>>
  readonly answers: readonly Answer[]
}

const SESSIONS = { [ROOT]: {}, [CHILD]: { parentID: ROOT }, ses_away: { location: { directory: '/elsewhere' } } }

function opencode(calls: readonly Call[], env: Readonly<Record<string, string>> = {}, ...flags: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [HOST, plugin, ...flags], {
    cwd: place.dir,
    env: plainEnv(env),
    input: JSON.stringify({ sessions: SESSIONS, calls }),
  })
  expect([status, stderr.toString()]).toEqual([0, ''])
  return JSON.parse(stdout.toString()) as Played
}

const install = (...flags: readonly string[]) =>
  expect(place.runWith({ env: { HOME: place.dir } }, 'install', 'opencode', ...flags).status).toBe(0)

const event = (type: string, data: object): Call => ['event', { type, data }]
const prompt = (sessionID: string, text: string): Call => ['prompt', { sessionID, prompt: { text } }]
const request = (sessionID: string): Call => ['context', { sessionID, system: [] }]
const before = (sessionID: string, tool: string, input: object): Call => ['execute.before', { tool, sessionID, input }]
const after = (sessionID: string, tool: string, input: object, more: object = {}): Call => [
  'execute.after',
  { tool, sessionID, input, status: 'completed', result: { output: {}, content: [] }, ...more },
]

const recent = () =>
  place
    .data<{ value: readonly Record<string, unknown>[] }>('activity', 'recent')
    .value.map(({ run, kind, tool, detail }) => [run, kind, tool, detail])
const runs = () => place.data<{ value: readonly Record<string, unknown>[] }>('activity', 'list').value
const systemOf = ({ event: told }: Answer) => told?.system?.map(({ text }) => text)

test('T3 what it does is told in order, and a hook of a subagent that comes first is of who asked for it', () => {
  install()
  opencode([
    event('session.created', { sessionID: ROOT }),
    prompt(ROOT, 'fix the tests'),
    before(ROOT, 'subagent', { description: 'look' }),
    prompt(CHILD, 'look around'),
    event('session.created', { sessionID: CHILD, parentID: ROOT }),
    before(CHILD, 'shell', { command: 'npm test' }),
    after(CHILD, 'shell', { command: 'npm test' }, { result: { metadata: { exit: 1 } } }),
    event('session.execution.succeeded', { sessionID: CHILD }),
    after(ROOT, 'subagent', { description: 'look' }),
    after(ROOT, 'read', { path: '/gone' }, { status: 'error', error: { message: 'File not found' } }),
    event('permission.asked', { sessionID: ROOT, action: 'shell', resources: ['rm *'] }),
    event('form.created', { form: { sessionID: ROOT, title: 'Questions', fields: [{ title: 'Which one?' }] } }),
    event('session.execution.succeeded', { sessionID: ROOT }),
    ['dispose'],
  ])
  expect(recent()).toEqual([
    [ROOT, 'started', null, null],
    [ROOT, 'prompted', null, 'fix the tests'],
    [ROOT, 'tool-started', 'subagent', 'look'],
    [ROOT, 'subagent-started', null, null],
    [ROOT, 'tool-started', 'shell', 'npm test'],
    [ROOT, 'tool-failed', 'shell', 'npm test'],
    [ROOT, 'subagent-ended', null, null],
    [ROOT, 'tool-finished', 'subagent', 'look'],
    [ROOT, 'tool-failed', 'read', '/gone'],
    [ROOT, 'asked', null, 'shell rm *'],
    [ROOT, 'asked', null, 'Which one?'],
    [ROOT, 'turn-ended', null, null],
    [ROOT, 'ended', null, null],
  ])
})

test('where the agent stands is in each request of its session from its first prompt on, and told anew behind a cut', () => {
  install()
  const { answers } = opencode([
    request(ROOT),
    prompt(ROOT, 'fix the tests'),
    request(ROOT),
    prompt(ROOT, 'go on'),
    request(ROOT),
    event('session.compaction.ended', { sessionID: ROOT, reason: 'auto' }),
    prompt(ROOT, 'and now?'),
    request(ROOT),
    request(CHILD),
  ])
  const stands = [expect.stringContaining('hash passwords')]
  const said = answers.filter(({ name }) => name === 'context').map(systemOf)
  expect(said).toEqual([[], stands, stands, stands, []])
  expect(recent().filter(([, kind]) => kind === 'compacted')).toHaveLength(1)
})

test('an error stays what is known of a run until it goes on; a run that was interrupted is idle', () => {
  install()
  const fails = event('session.execution.failed', {
    sessionID: ROOT,
    error: { type: 'provider.auth', message: 'no key' },
  })
  opencode([prompt(ROOT, 'go'), fails])
  expect(runs()[0]).toMatchObject({ status: 'waiting', reason: 'no key' })
  opencode([prompt(ROOT, 'go'), fails, event('session.execution.succeeded', { sessionID: ROOT })])
  expect(runs()[0]).toMatchObject({ status: 'idle', reason: null })
  opencode([prompt(ROOT, 'go'), event('session.execution.interrupted', { sessionID: ROOT, reason: 'user' })])
  expect(runs()[0]).toMatchObject({ status: 'idle', reason: null })
})

test('T2 what happens in other folders, or to sessions that nobody knows, is not told', () => {
  install()
  opencode([
    event('session.execution.succeeded', { sessionID: 'ses_away' }),
    event('permission.asked', { sessionID: 'ses_gone', action: 'edit', resources: [] }),
    event('file.watcher.updated', {}),
  ])
  expect(recent()).toEqual([])
})

test('a gate stops a tool whose file another holds, and no other', () => {
  install('--gate')
  expect(place.run('lock', 'acquire', 'auth.ts', '--as', 'agent:lead').status).toBe(0)
  const { answers } = opencode([
    before(ROOT, 'edit', { path: 'auth.ts', oldString: 'a', newString: 'b' }),
    before(ROOT, 'patch', { patchText: '*** Begin Patch\n*** Update File: auth.ts\n*** End Patch' }),
    before(ROOT, 'write', { path: path.join(place.dir, 'other.ts'), content: '' }),
  ])
  expect(answers.map(({ error }) => error?.replace(/:.*/s, ''))).toEqual([
    'auth.ts is locked by agent',
    'auth.ts is locked by agent',
    undefined,
  ])
})

test('T1 where no Node and no program is, opencode goes on', () => {
  install('--gate')
  const calls = [prompt(ROOT, 'go'), before(ROOT, 'shell', { command: 'ls' }), ['dispose']] as const
  expect(opencode(calls, { PATH: '/nowhere' }).answers.every(({ error }) => error === undefined)).toBe(true)
  fs.writeFileSync(plugin, fs.readFileSync(plugin, 'utf8').replace('opencode.js', 'gone.js'))
  expect(opencode(calls)).toMatchObject({ id: 'steadfold', hooks: [] })
})

test('a server of MCP is offered where there is a workspace', () => {
  install()
  expect(opencode([]).servers).toEqual({
    steadfold: { type: 'local', command: SERVER },
  })
  fs.renameSync(path.join(place.dir, '.steadfold'), path.join(place.dir, 'away'))
  expect(opencode([]).servers).toEqual({})
})

test('T4 who started the service that all share is not who works in this folder', () => {
  install()
  const other = { STEADFOLD_DIR: '/elsewhere', STEADFOLD_SESSION: 'another', STEADFOLD_RUN: 'ours' }
  opencode([prompt(ROOT, 'go')], other)
  expect(recent()).toEqual([])
  opencode([prompt(ROOT, 'go')], other, 'serve', '--service')
  expect(recent().map(([run, kind]) => [run, kind])).toEqual([
    [ROOT, 'started'],
    [ROOT, 'prompted'],
  ])
})
