import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'
import { until } from '../until.ts'

const HERE = import.meta.dirname
const stream = (name: string) => path.join(HERE, 'streams', `${name}.jsonl`)

const ID = '11111111-2222-4333-8444-555555555555'

let place: Place
let seenFile: string
beforeEach(() => {
  place = new Place()
  seenFile = path.join(place.dir, 'seen.txt')
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  for (const agent of ['claude', 'codex', 'gemini', 'opencode'])
    fs.symlinkSync(path.join(HERE, 'fake-agent.sh'), path.join(bin, agent))
  expect(place.run('session', 'create', 'one').status).toBe(0)
})
afterEach(() => place.remove())

const envOf = (env: Readonly<Record<string, string>>) => ({
  PATH: `${path.join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`,
  FAKE_SEEN: seenFile,
  ...env,
})

interface Row {
  readonly run: string
  readonly cli_session: string | null
  readonly status: string
  readonly cause: string
  readonly reason: string
  readonly tokens: number
  readonly cost_usd: number
  readonly tools: number
  readonly resume: string | null
}

const row = (): Row => {
  const [first] = place.data<{ value: readonly Row[] }>('activity', 'list').value
  if (first === undefined) throw new Error('no run')
  return first
}
const seen = () => fs.readFileSync(seenFile, 'utf8').trim().split('\n')

const HEADLESS: Readonly<Record<string, readonly string[]>> = {
  claude: ['-p', 'fix the tests'],
  codex: ['exec', 'fix the tests'],
  gemini: ['-p', 'fix the tests'],
  opencode: ['run', 'fix the tests'],
}

function runAgent(agent: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return place.runWith({ env: envOf(env) }, 'run', '--agent', agent, ...args, '--', ...(HEADLESS[agent] ?? []))
}

const USED = {
  claude: { tokens: 420, cost_usd: 0.0421, tools: 2, cli: undefined, resume: 'claude --resume' },
  codex: { tokens: 24_885, cost_usd: 0, tools: 2, cli: '0199a213-81c0-7800-8aa1-bbab2a035a53', resume: 'codex resume' },
  gemini: {
    tokens: 5200,
    cost_usd: 0,
    tools: 1,
    cli: '7c1e7b5e-0a51-4a39-9d5e-4b6f2d1c9a10',
    resume: 'gemini --resume',
  },
  opencode: {
    tokens: 3330,
    cost_usd: 0.0075,
    tools: 2,
    cli: 'ses_21f0c7e9ffe0aMn4kQx3bTzWd2',
    resume: 'opencode --session',
  },
} as const

describe.each(Object.entries(USED))('%s', (agent, { tokens, cost_usd, tools, cli, resume }) => {
  test('A1 A2 its id is durable before it starts, its stream is counted, and it ends as finished', () => {
    const { status, out } = runAgent(agent, { FAKE_STREAM: stream(`${agent}-finished`) })
    expect(status).toBe(0)
    expect(out).toContain('The tests pass.')
    expect(seen().at(-1)).toBe('activity.launched')
    const { run, ...found } = row()
    expect(found).toMatchObject({
      status: 'ended',
      cause: 'finished',
      tokens,
      cost_usd,
      tools,
      cli_session: cli ?? run,
    })
    expect(found.resume).toBe(`cd ${place.dir} && ${resume} ${cli ?? run}`)
  })

  test('A2 R3 a limit of its provider is quota, exit 11, and the next step is said', () => {
    const { status, err } = runAgent(agent, { FAKE_STREAM: stream(`${agent}-quota`), FAKE_END: '1' })
    expect(status).toBe(11)
    expect(err).toContain(`${resume} `)
    expect(row()).toMatchObject({ status: 'ended', cause: 'quota' })
  })

  test.each([
    ['killed', { FAKE_END: 'kill' }, 'killed by SIGKILL'],
    ['ended in the middle of a line', { FAKE_HALF: '700' }, 'its stream broke off before the end'],
  ])('A2 R1 one that is %s has crashed, exit 10, and what it told before counts', (_name, env, reason) => {
    const { status } = runAgent(agent, { FAKE_STREAM: stream(`${agent}-broken-off`), ...env })
    expect(status).toBe(10)
    expect(row()).toMatchObject({ cause: 'crashed', reason })
    expect(row().resume).not.toBeNull()
  })
})

describe('a session that changes while it runs', () => {
  const runWhile = (...args: readonly string[]) => {
    const command = [process.execPath, PROGRAM, 'session', ...args].join(' ')
    return runAgent('claude', { FAKE_STREAM: stream('claude-finished'), FAKE_DO: command })
  }

  test('A2 one that was suspended takes no record of its end, which is told', () => {
    const { status, err } = runWhile('suspend', 'one')
    expect(status).toBe(4)
    expect(err).toMatch(/claude run \S+: finished {2}\(420 tokens/)
    expect(err).toContain('session one is suspended')
  })

  test('A2 one in which nothing new begins keeps why it ended', () => {
    expect(runWhile('terminate', '--session', 'one').status).toBe(0)
    expect(row()).toMatchObject({ status: 'ended', cause: 'finished', tokens: 420 })
  })
})

describe('how it is called', () => {
  test('A1 claude gets the id that was committed, and is asked for its stream', () => {
    runAgent('claude', { FAKE_STREAM: stream('claude-finished') })
    const { run } = row()
    const flags = ['--session-id', run, '--output-format', 'stream-json', '--verbose']
    expect(seen().slice(0, -1)).toEqual(['claude', ...flags, '-p', 'fix the tests'])
  })

  test('A1 a session that is resumed keeps its id and its run', () => {
    for (let i = 0; i < 2; i++)
      place.runWith(
        { env: envOf({ FAKE_STREAM: stream('claude-finished') }) },
        'run',
        '--agent',
        'claude',
        '--',
        'claude',
        '-p',
        'on',
        '--resume',
        ID,
      )
    expect(place.data<{ value: readonly Row[] }>('activity', 'list').value).toHaveLength(1)
    expect(row()).toMatchObject({ run: ID, cause: 'finished' })
    expect(seen()).not.toContain('--session-id')
  })

  test.each([
    ['claude', ['-p', 'on', '--resume', ID], { tokens: 840, cost_usd: 0.0842, tools: 4 }],
    // It tells the tokens of all its turns.
    ['codex', ['exec', 'resume', ID, 'on'], { tokens: 24_885, cost_usd: 0, tools: 4 }],
    ['gemini', ['-p', 'on', '--resume', ID], { tokens: 10_400, cost_usd: 0, tools: 2 }],
    ['opencode', ['run', 'on', '--session', ID], { tokens: 6660, cost_usd: 0.015, tools: 4 }],
  ])('A4 a session of %s that is resumed keeps what it used before', (agent, words, used) => {
    const env = envOf({ FAKE_STREAM: stream(`${agent}-finished`) })
    for (let i = 0; i < 2; i++) expect(place.runWith({ env }, 'run', '--agent', agent, '--', ...words).status).toBe(0)
    expect(row()).toMatchObject({ run: ID, ...used })
  })

  test('an id that climbs is an error of usage, and nothing is started', () => {
    const done = place.runWith({ env: envOf({}) }, 'run', '--agent', 'claude', '--', '-p', 'x', '--resume', '../../x')
    expect(done.status).toBe(64)
    expect(fs.existsSync(seenFile)).toBe(false)
  })

  test('a program that is not there ends as failed, exit 10', () => {
    const done = place.runWith({ env: { PATH: '/nowhere' } }, 'run', '--agent', 'claude', '--', '-p', 'x')
    expect(done.status).toBe(10)
    expect(done.err).toMatch(/\nnext: install claude, or put it on the PATH\n$/)
    expect(row()).toMatchObject({ cause: 'failed', reason: 'cannot run claude: ENOENT' })
  })

  test('A2 without a stream its exit status and its last words say why', () => {
    runAgent('claude', { FAKE_ERR: 'Error: 429 Too Many Requests', FAKE_END: '1' })
    expect(row()).toMatchObject({ cause: 'quota', reason: 'Error: 429 Too Many Requests' })
    runAgent('claude', { FAKE_STREAM: stream('claude-max-turns'), FAKE_END: '1' })
    expect(row()).toMatchObject({ cause: 'failed', reason: 'error_max_turns', tokens: 420 })
  })

  test('what it writes beside its stream goes on whole, more than a pipe holds, and wherever it cuts a character', () => {
    const { err } = runAgent('claude', {
      FAKE_STREAM: stream('claude-finished'),
      FAKE_DO: "printf 'x'; yes 漢漢漢 | head -n 40000",
    })
    expect(err).toContain('漢')
    expect(err).not.toContain('\ufffd')
  })

  test('with --json every line is an object, and the last is the result', () => {
    const { out } = runAgent('codex', { FAKE_STREAM: stream('codex-finished') }, '--json')
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.at(-1)).toMatchObject({ type: 'result', data: { cause: 'finished', tokens: 24_885 } })
  })
})

describe('A5 a form that its command line asks for goes on as it is', () => {
  const own = (agent: string, text: string, ...words: readonly string[]) =>
    place.runWith({ env: envOf({ FAKE_STREAM: place.file('own.txt', text) }) }, 'run', '--agent', agent, '--', ...words)

  test.each([
    ['claude', ['-p', 'go', '--output-format', 'text']],
    ['claude', ['-p', 'go', '--output-format=json']],
    ['gemini', ['-p', 'go', '-o', 'text']],
    ['opencode', ['run', 'go', '--format', 'default']],
  ])('A5 of %s with %j, and it has not crashed', (agent, words) => {
    const text = '{\n  "of its\u001b[1m own": true }\r\nno line at the end'
    expect(own(agent, text, ...words)).toMatchObject({ status: 0, out: text })
    expect(row()).toMatchObject({ cause: 'finished' })
  })

  test('A5 what can be read in it counts: a list of all that Claude Code tells', () => {
    const lines = fs.readFileSync(stream('claude-finished'), 'utf8').trim().split('\n')
    const list = `[${lines.join(',')}]\n`
    expect(own('claude', list, '-p', 'go', '--output-format', 'json', '--verbose').out).toBe(list)
    expect(row()).toMatchObject({ cause: 'finished', tokens: 420, cost_usd: 0.0421, tools: 2 })
  })
})

test('A6 what it leaves behind does not hold up its end', () => {
  const left = `${seenFile}.left`
  const env = { FAKE_STREAM: stream('claude-broken-off'), FAKE_DO: `sleep 50 & echo $! >${left}`, FAKE_END: 'kill' }
  const began = Date.now()
  expect(runAgent('claude', env).status).toBe(10)
  expect(Date.now() - began).toBeLessThan(30_000)
  expect(row()).toMatchObject({ cause: 'crashed', reason: 'killed by SIGKILL' })
  process.kill(Number(fs.readFileSync(left, 'utf8')))
})

test('R1 a hostile stream is passed over: NULs, long lines, poison, ids that climb', () => {
  const hostile = place.file(
    'hostile.jsonl',
    [
      '\0\0\0',
      `{"type":"assistant","message":{"content":[{"type":"text","text":"${'x'.repeat(500_000)}"}]}}`,
      '{"__proto__":{"type":"result"}}',
      '{"type":"result","subtype":"success","total_cost_usd":-1,"usage":{"input_tokens":1e400,"output_tokens":"many"}}',
      '{"type":"system","subtype":"init","session_id":"../../etc"}',
    ].join('\n'),
  )
  expect(runAgent('claude', { FAKE_STREAM: hostile }).status).toBe(0)
  expect(row()).toMatchObject({ cause: 'finished', tokens: 0, cost_usd: 0 })
  expect(place.run('verify').status).toBe(0)
})

test('R2 a part of a token counts as one, so that no figure of the run is refused for it', () => {
  const lines = place.file(
    'parts.jsonl',
    [
      '{"type":"thread.started","thread_id":"t-1"}',
      '{"type":"turn.completed","usage":{"input_tokens":10.2,"output_tokens":1.5}}',
    ].join('\n'),
  )
  expect(runAgent('codex', { FAKE_STREAM: lines }).status).toBe(0)
  expect(row()).toMatchObject({ cause: 'finished', cli_session: 't-1', tokens: 13 })
})

test('kill -9 of the watcher: recover shows the exact command, closes the run once, and is right again', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'run', '--agent', 'codex', '--', 'exec', 'go'], {
    cwd: place.dir,
    env: plainEnv(envOf({ FAKE_STREAM: stream('codex-broken-off'), FAKE_END: 'stay' })),
    stdio: 'ignore',
  })
  const pidFile = `${seenFile}.pid`
  await until(() => fs.existsSync(pidFile) && row().cli_session !== null && row().tools > 1)
  // A3
  expect(row().tools).toBe(2)
  child.kill('SIGKILL')
  await once(child, 'exit')
  process.kill(Number(fs.readFileSync(pidFile, 'utf8')), 'SIGKILL')
  const command = `cd ${place.dir} && codex resume ${USED.codex.cli}`
  expect(place.run('recover', '--dry-run').out).toContain(command)
  expect(row()).toMatchObject({ status: 'working' })
  expect(place.run('recover').out).toContain(command)
  expect(row()).toMatchObject({ status: 'ended', cause: 'crashed', resume: command })
  expect(place.run('recover').out).toBe('nothing is lost\n')
})
