import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv } from '../cli/binary.ts'

const HOST = path.join(import.meta.dirname, 'opencode-host.mjs')
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

type Call = readonly [hook: string, ...words: readonly unknown[]]

interface Answer {
  readonly name: string
  readonly words?: readonly [input: unknown, output?: { readonly parts?: readonly { readonly text: string }[] }]
  readonly error?: string
}

function opencode(calls: readonly Call[], env: Readonly<Record<string, string>> = {}, cwd = place.dir) {
  const input = JSON.stringify(calls)
  const limited = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, HOST, plugin]
  const { stdout, stderr, status } = spawnSync('/bin/sh', limited, {
    cwd,
    env: plainEnv(env),
    input,
  })
  expect([status, stderr.toString()]).toEqual([0, ''])
  return JSON.parse(stdout.toString()) as { readonly hooks: readonly string[]; readonly answers: readonly Answer[] }
}

const install = (...flags: readonly string[]) =>
  expect(place.runWith({ env: { HOME: place.dir } }, 'install', 'opencode', ...flags).status).toBe(0)

const event = (type: string, properties: object): Call => ['event', { event: { type, properties } }]
const prompt = (sessionID: string, text: string): Call => [
  'chat.message',
  { sessionID },
  {
    message: { id: 'msg_1', role: 'user' },
    parts: [{ id: 'prt_1', sessionID, messageID: 'msg_1', type: 'text', text }],
  },
]
const before = (sessionID: string, tool: string, args: object): Call => [
  'tool.execute.before',
  { tool, sessionID, callID: 'call_1' },
  { args },
]
const after = (sessionID: string, tool: string, args: object, exit = 0): Call => [
  'tool.execute.after',
  { tool, sessionID, callID: 'call_1', args },
  { title: tool, output: '', metadata: { exit } },
]

const recent = () =>
  place
    .data<{ value: readonly Record<string, unknown>[] }>('activity', 'recent')
    .value.map(({ run, kind, tool, detail }) => [run, kind, tool, detail])
const runs = () => place.data<{ value: readonly Record<string, unknown>[] }>('activity', 'list').value
const textsOf = ({ words }: Answer) => words?.[1]?.parts?.map(({ text }) => text)

test('O2 O3 what it does is told in order, and what a subagent does belongs to who asked for it', () => {
  install()
  opencode([
    event('session.created', { info: { id: ROOT } }),
    prompt(ROOT, 'fix the tests'),
    before(ROOT, 'task', { description: 'look' }),
    event('session.created', { info: { id: CHILD, parentID: ROOT } }),
    prompt(CHILD, 'look around'),
    before(CHILD, 'bash', { command: 'npm test' }),
    after(CHILD, 'bash', { command: 'npm test' }, 1),
    event('session.idle', { sessionID: CHILD }),
    after(ROOT, 'task', { description: 'look' }),
    event('message.part.updated', {
      part: {
        type: 'tool',
        tool: 'read',
        sessionID: ROOT,
        state: { status: 'error', input: { filePath: '/gone' }, error: 'File not found' },
      },
    }),
    event('permission.asked', { sessionID: ROOT, permission: 'bash', patterns: ['rm *'] }),
    event('session.idle', { sessionID: ROOT }),
    ['dispose'],
  ])
  expect(recent()).toEqual([
    [ROOT, 'started', null, null],
    [ROOT, 'prompted', null, 'fix the tests'],
    [ROOT, 'tool-started', 'task', 'look'],
    [ROOT, 'subagent-started', null, null],
    [ROOT, 'tool-started', 'bash', 'npm test'],
    [ROOT, 'tool-failed', 'bash', 'npm test'],
    [ROOT, 'subagent-ended', null, null],
    [ROOT, 'tool-finished', 'task', 'look'],
    [ROOT, 'tool-failed', 'read', '/gone'],
    [ROOT, 'asked', null, 'bash rm *'],
    [ROOT, 'turn-ended', null, null],
    [ROOT, 'ended', null, null],
  ])
  const [run] = runs()
  expect(run).toMatchObject({ agent: 'opencode', status: 'ended', prompts: 1, tools: 3, failed: 2 })
  expect(run?.['resume']).toBe(`cd ${place.dir} && opencode --session ${ROOT}`)
})

test('where the agent stands is told with its first prompt, and again behind a cut', () => {
  install()
  const { answers } = opencode([
    prompt(ROOT, 'fix the tests'),
    prompt(ROOT, 'go on'),
    event('session.compacted', { sessionID: ROOT }),
    prompt(ROOT, 'and now?'),
  ])
  const said = answers.filter(({ name }) => name === 'chat.message').map(textsOf)
  expect(said).toEqual([
    ['fix the tests', expect.stringContaining('hash passwords')],
    ['go on'],
    ['and now?', expect.stringContaining('hash passwords')],
  ])
})

test('an error stays what is known of a run, though it is idle then; one that a person gave up is none', () => {
  install()
  const fails = (name: string, message: string) =>
    event('session.error', { sessionID: ROOT, error: { name, data: { message } } })
  const idle = event('session.idle', { sessionID: ROOT })
  opencode([prompt(ROOT, 'go'), fails('APIError', 'no credit'), idle])
  expect(runs()[0]).toMatchObject({ status: 'waiting', reason: 'no credit' })
  opencode([prompt(ROOT, 'go'), fails('MessageAbortedError', 'aborted'), idle])
  expect(runs()[0]).toMatchObject({ status: 'idle', reason: null })
})

test('a gate stops a tool whose file another holds, and no other', () => {
  install('--gate')
  expect(place.run('lock', 'acquire', 'auth.ts', '--as', 'agent:lead').status).toBe(0)
  const { answers } = opencode([
    before(ROOT, 'edit', { filePath: path.join(place.dir, 'auth.ts') }),
    before(ROOT, 'apply_patch', { patchText: '*** Begin Patch\n*** Update File: auth.ts\n*** End Patch' }),
    before(ROOT, 'patch', { patchText: '*** Begin Patch\n*** Delete File: auth.ts\n*** End Patch' }),
    before(ROOT, 'write', { filePath: path.join(place.dir, 'other.ts') }),
  ])
  expect(answers.map(({ error }) => error?.replace(/:.*/s, ''))).toEqual([
    'auth.ts is locked by agent',
    'auth.ts is locked by agent',
    'auth.ts is locked by agent',
    undefined,
  ])
})

test('O1 where no workspace, no Node and no program is, opencode goes on', () => {
  install('--gate')
  const calls = [prompt(ROOT, 'go'), before(ROOT, 'bash', { command: 'ls' }), ['dispose']] as const
  const silent = (answers: readonly Answer[]) => answers.every(({ error }) => error === undefined)
  expect(silent(opencode(calls, { PATH: '/nowhere' }).answers)).toBe(true)
  expect(silent(opencode(calls, { STEADFOLD_DIR: '/nowhere' }).answers)).toBe(true)
  fs.writeFileSync(plugin, fs.readFileSync(plugin, 'utf8').replace('opencode.js', 'gone.js'))
  expect(opencode(calls)).toEqual({
    hooks: [],
    answers: [{ name: 'chat.message', words: expect.anything() }, expect.anything(), { name: 'dispose', words: [] }],
  })
})

test('O1 a moment in which no file can be opened stops no tool, and nothing behind it', () => {
  install('--gate')
  const [hook, ...words] = before(ROOT, 'bash', { command: 'ls' })
  const { answers } = opencode([[`!${hook}`, ...words], [hook, ...words], event('session.idle', { sessionID: ROOT })])
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  expect(recent().map(([, kind]) => kind)).toEqual(['tool-started', 'turn-ended'])
})

test('where opencode has no node on its PATH, the one that the plugin was installed with is used', () => {
  install()
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync('/bin/sh', path.join(bin, 'sh'))
  const [words] = opencode([prompt(ROOT, 'go')], { PATH: bin }).answers.map((answer) => answer.words)
  expect(words?.[1]?.parts?.at(-1)?.text).toContain('hash passwords')
})

test('a server of MCP is offered where there is a workspace, unless there is one of that name', () => {
  install()
  const [own, others] = opencode([
    ['config', {}],
    ['config', { mcp: { steadfold: { type: 'remote' }, mine: {} } }],
  ]).answers.map(({ words }) => words?.[0])
  expect(own).toMatchObject({ mcp: { steadfold: { type: 'local', command: SERVER } } })
  expect(others).toEqual({ mcp: { steadfold: { type: 'remote' }, mine: {} } })
  fs.renameSync(path.join(place.dir, '.steadfold'), path.join(place.dir, 'away'))
  expect(opencode([['config', {}]]).answers[0]?.words).toEqual([{}])
})

test('a server of MCP is offered in a worktree of git, too, whose main checkout has the workspace', () => {
  install()
  const worktree = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-worktree-'))
  const git = (...words: readonly string[]) =>
    expect(spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: place.dir }).status).toBe(0)
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'one')
  git('worktree', 'add', '-q', path.join(worktree, 'side'))
  const [said] = opencode([['config', {}]], {}, path.join(worktree, 'side')).answers
  fs.rmSync(worktree, { recursive: true })
  expect(said?.words?.[0]).toMatchObject({ mcp: { steadfold: { type: 'local' } } })
})

test('a run under watch is one run, whichever tells its id first', () => {
  install()
  const launch = ['activity', 'launch', 'opencode', 'ours', '--cwd', place.dir]
  expect(place.run(...launch).status).toBe(0)
  opencode([prompt(ROOT, 'go'), ['dispose']], { STEADFOLD_RUN: 'ours' })
  expect(runs().map(({ run, cli_session }) => [run, cli_session])).toEqual([['ours', ROOT]])
})
