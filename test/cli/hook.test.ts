import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const HOOK = path.join(path.dirname(PROGRAM), 'hook.sh')

let place: Place
beforeEach(() => {
  place = new Place()
  expect(place.run('session', 'create', 'one', '--goal', 'hash passwords').status).toBe(0)
})
afterEach(() => place.remove())

const event = (name: string, more: object = {}) =>
  JSON.stringify({ session_id: 's-1', hook_event_name: name, cwd: place.dir, ...more })

const node = (input: string | Buffer, ...args: readonly string[]) => place.runWith({ input }, 'hook', ...args)

function shell(input: string | Buffer, { agent = 'claude', env = {}, cwd = place.dir } = {}) {
  const { status, stdout, stderr } = spawnSync('sh', [HOOK, agent], { cwd, env: plainEnv(env), input })
  return { status, out: stdout.toString(), err: stderr.toString() }
}

const spooled = () => {
  const folder = path.join(place.dir, '.steadfold/spool')
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.fact')) : []
}
const runs = () => place.data<{ value: readonly Record<string, unknown>[] }>('activity', 'list').value
const logFile = () => {
  const sessions = path.join(place.dir, '.steadfold/sessions')
  const [id = ''] = fs.readdirSync(sessions)
  return path.join(sessions, id, 'log', '00000000000000000001.jsonl')
}
const contextOf = (out: string) =>
  (JSON.parse(out) as { hookSpecificOutput: { hookEventName: string; additionalContext: string } }).hookSpecificOutput

const SILENT = { status: 0, out: '', err: '' }

const HOSTILE: Readonly<Record<string, () => string | Buffer>> = {
  nothing: () => '',
  'half a line': () => event('PreToolUse').slice(0, 30),
  'no JSON': () => 'PreToolUse',
  NULs: () => Buffer.alloc(10_000),
  'bytes that are no text': () => Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3]),
  '50 MB': () => event('PostToolUse', { tool_name: 'Read', tool_response: 'x'.repeat(50_000_000) }),
  'a depth of 20,000': () =>
    `{"session_id":"s-1","hook_event_name":"Stop","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  'an id that climbs': () => JSON.stringify({ session_id: '../../x', hook_event_name: 'Stop' }),
  'keys that poison': () => '{"session_id":"s-1","hook_event_name":"Stop","__proto__":{"a":1}}',
  'the trailer of a fact': () => `${event('Stop')}\n#end\nsteadfold-fact 1\n`,
  'what a shell would run': () => event('$(touch pwned)`touch pwned`;touch pwned', { tool_name: "';touch pwned;'" }),
}

test('an event is kept although another hook made the spool first', () => {
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  const late = '#!/bin/sh\n/bin/mkdir "$@"\nexec /bin/mkdir "$@"\n'
  fs.writeFileSync(path.join(bin, 'mkdir'), late, { mode: 0o700 })
  const folder = path.join(place.dir, '.steadfold/spool')
  fs.rmSync(folder, { recursive: true, force: true })
  expect(shell(event('Stop'), { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })).toEqual(SILENT)
  expect(spooled()).toHaveLength(1)
})

test('K1 K2 whatever a hook is handed, it is silent, and one bounded event is kept, with and without Node', () => {
  const payloads = Object.values(HOSTILE).map((make) => make())
  for (const payload of payloads) {
    expect(node(payload, 'claude')).toEqual(SILENT)
    expect(shell(payload)).toEqual(SILENT)
  }
  expect(place.data<readonly unknown[]>('log')).toHaveLength(1 + 2 * payloads.length)
  expect(spooled()).toEqual([])
  expect(fs.statSync(logFile()).size).toBeLessThan(200_000)
  expect(fs.readdirSync(place.dir)).toEqual(['.steadfold'])
  expect(place.run('verify').status).toBe(0)
})

describe('K1 where nothing can be kept', () => {
  test('K1 outside a workspace, without a session, with several and with an unknown one, it is silent', () => {
    const cwd = fs.mkdtempSync(path.join(path.dirname(place.dir), 'out-'))
    expect(place.runWith({ input: event('Stop'), cwd }, 'hook', 'claude')).toEqual(SILENT)
    expect(shell(event('Stop'), { cwd })).toEqual(SILENT)
    fs.rmSync(cwd, { recursive: true })
    expect(node(event('Stop'), 'claude', '--session', 'nobody')).toEqual(SILENT)
    expect(place.run('session', 'create', 'two').status).toBe(0)
    expect(node(event('Stop'), 'claude')).toEqual(SILENT)
    expect(contextOf(node(event('SessionStart'), 'claude').out).additionalContext).toContain('one, two')
  })

  test('K1 a store that does not answer holds up no agent', async () => {
    // It lets everybody in, then says no more.
    const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
    const server = net.createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(welcome)),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A socket that listens on a port has an address with one.
    const { port } = server.address() as net.AddressInfo
    const env = { STEADFOLD_DIR: `postgres://ann@127.0.0.1:${port}/work?sslmode=disable&timeout=600&patience=600` }
    const ends = [['hook', 'claude'], ['hook', 'gemini', '--gate'], ['statusline']].map(async (words) => {
      const agent = place.startWith({ env }, ...words)
      agent.stdin.end(event('SessionStart'))
      const [status] = await once(agent, 'close')
      return status as unknown
    })
    expect(await Promise.all(ends)).toEqual([0, 0, 0])
    server.close()
  })

  test('K1 a session whose name holds a line break is no session', () => {
    expect(shell(event('Stop'), { env: { STEADFOLD_SESSION: 'one\nop: session.end' } })).toEqual(SILENT)
    expect(spooled()).toEqual([])
  })

  test('K1 a link in place of the spool is not followed', () => {
    const spool = path.join(place.dir, '.steadfold/spool')
    fs.rmSync(spool, { recursive: true, force: true })
    fs.symlinkSync('/tmp', spool)
    expect(shell(event('Stop'))).toEqual(SILENT)
    expect(fs.readdirSync('/tmp').filter((name) => name.startsWith('hook-'))).toEqual([])
  })

  test('K5 where the disk takes no more, nothing half written stays, which would hold up gc for a day', () => {
    const full = 'trap "" XFSZ; ulimit -f 0; exec sh "$@"'
    const { status, stdout, stderr } = spawnSync('sh', ['-c', full, 'sh', HOOK, 'claude'], {
      cwd: place.dir,
      env: plainEnv({}),
      input: event('Stop'),
      encoding: 'utf8',
    })
    expect({ status, out: stdout, err: stderr }).toEqual(SILENT)
    expect(spooled()).toEqual([])
  })

  test('an agent that is not known is an error of usage, never 2', () => {
    expect(node(event('Stop'), 'nobody').status).toBe(64)
  })
})

describe('K3 what is answered', () => {
  test.each(['startup', 'resume', 'clear', 'compact'])(
    'K3 a session that begins by %s is told where it stands',
    (source) => {
      const { hookEventName, additionalContext } = contextOf(node(event('SessionStart', { source }), 'claude').out)
      expect(hookEventName).toBe('SessionStart')
      expect(additionalContext).toContain('hash passwords')
    },
  )

  test('K3 Gemini CLI is told with its next prompt after its context was cut, once', () => {
    const prompt = event('BeforeAgent', { prompt: 'go on' })
    expect(node(prompt, 'gemini')).toEqual(SILENT)
    expect(shell(event('PreCompress', { trigger: 'manual' }), { agent: 'gemini' })).toEqual(SILENT)
    expect(contextOf(node(prompt, 'gemini').out).hookEventName).toBe('BeforeAgent')
    expect(node(prompt, 'gemini')).toEqual(SILENT)
  })

  test('prime says who is at which task from the moment it is claimed', () => {
    for (const title of ['hash passwords', 'rotate keys']) place.data('task', 'add', title)
    for (const task of ['task-1', 'task-2']) place.data('task', 'claim', task, '--as', 'agent:w')
    place.data('task', 'start', 'task-2', '--as', 'agent:w')
    const { out } = place.run('prime')
    for (const said of ['"task-1" "hash passwords"', '"task-2" "rotate keys"'])
      expect(out).toContain(`Under way: ${said}, by agent:w`)
  })

  test('prime fits in the tokens that it is given, and says what it left out', () => {
    for (let i = 0; i < 12; i++) place.run('task', 'add', `task number ${i} ${'x'.repeat(100)}`)
    const { out } = place.run('prime', '--max-tokens', '200')
    expect(out.length).toBeLessThanOrEqual(800)
    expect(out).toMatch(/\(\d+ lines more: steadfold prime\)/)
    expect(place.run('prime', '--max-tokens', '1').status).toBe(64)
  })

  test('statusline is one line, and an empty one where there is nothing to say', () => {
    expect(place.runWith({ input: '{}' }, 'statusline').out).toMatch(/^one · seq \d+\n$/)
    expect(place.runWith({ cwd: '/' }, 'statusline')).toEqual(SILENT)
  })
})

describe('K2 the gate', () => {
  const write = (file: string) => event('PreToolUse', { tool_name: 'Write', tool_input: { file_path: file } })

  test('K2 a file that another has locked is blocked with 2 and the reason; without --gate nothing is', () => {
    place.run('lock', 'acquire', 'src/a.ts', '--as', 'agent:other', '--reason', 'mine')
    const file = path.join(place.dir, 'src/a.ts')
    const blocked = node(write(file), 'claude', '--gate')
    expect(blocked).toMatchObject({ status: 2, out: '' })
    expect(blocked.err).toContain('src/a.ts is locked by agent:other')
    expect(node(write('src/a.ts'), 'claude', '--gate').status).toBe(2)
    expect(node(write(file), 'claude')).toEqual(SILENT)
    expect(node(write(file), 'claude', '--gate', '--as', 'agent:other')).toEqual(SILENT)
    expect(node(write(path.join(place.dir, 'src/b.ts')), 'claude', '--gate')).toEqual(SILENT)
  })

  test("K2 a lock is its own agent's also where lock with holds it", () => {
    place.file('call.json', write('src/a.ts'))
    const gate = (actor: string) => `"${process.execPath}" "${PROGRAM}" hook claude --gate --as ${actor} <call.json`
    const under = (actor: string) =>
      place.run('lock', 'with', 'src/a.ts', '--as', 'agent:w', '--', 'sh', '-c', gate(actor)).status
    expect(['agent:w', 'agent:w2'].map(under)).toEqual([0, 2])
  })

  test('K2 a file is looked at however much is to be written to it', () => {
    place.run('lock', 'acquire', 'src/a.ts', '--as', 'agent:other')
    const tool_input = { content: 'x'.repeat(1_200_000), file_path: path.join(place.dir, 'src/a.ts') }
    expect(node(event('PreToolUse', { tool_name: 'Write', tool_input }), 'claude', '--gate').status).toBe(2)
    expect(node(event('PreToolUse', { tool_input, tool_name: 'Write' }), 'claude')).toEqual(SILENT)
    expect(fs.statSync(logFile()).size).toBeLessThan(100_000)
  })

  test('K2 a lock holds by whatever links its file is reached, or named', () => {
    fs.mkdirSync(path.join(place.dir, 'src/deep'), { recursive: true })
    place.file('src/deep/a.ts', '')
    place.file('src/deep/e.ts', '')
    fs.symlinkSync(path.join(place.dir, 'src/deep'), path.join(place.dir, 'short'))
    const link = `${place.dir}-link`
    fs.symlinkSync(place.dir, link)
    for (const name of ['src/deep/a.ts', 'src/deep/new.ts', 'short/e.ts'])
      expect(place.run('lock', 'acquire', name, '--as', 'agent:other').status).toBe(0)
    try {
      const through = [
        `${link}/src/deep/a.ts`,
        `${place.dir}/short/a.ts`,
        `${link}/short/new.ts`,
        `${place.dir}/src/deep/e.ts`,
      ]
      for (const file of through) expect(node(write(file), 'claude', '--gate'), file).toMatchObject({ status: 2 })
      expect(place.runWith({ input: write('short/a.ts'), cwd: link }, 'hook', 'claude', '--gate').status).toBe(2)
      expect(node(write(`${link}/short/b.ts`), 'claude', '--gate')).toEqual(SILENT)
    } finally {
      fs.rmSync(link)
    }
  })

  test('K2 a path is that from the folder which the payload names', () => {
    fs.mkdirSync(path.join(place.dir, 'src'))
    place.file('src/a.ts', '')
    place.run('lock', 'acquire', 'src/a.ts', '--as', 'agent:other')
    const within = event('PreToolUse', {
      tool_name: 'Edit',
      tool_input: { file_path: 'a.ts' },
      cwd: `${place.dir}/src`,
    })
    expect(node(within, 'claude', '--gate').status).toBe(2)
    expect(node(write('a.ts'), 'claude', '--gate')).toEqual(SILENT)
  })

  test.each([
    ['Update File', ['*** Update File: src/a.ts', '@@', '-old', '+new']],
    ['Add File', ['*** Add File: src/a.ts', '+new']],
    ['Delete File', ['*** Update File: src/b.ts', '+x', '*** Delete File: src/a.ts']],
    ['Move to', ['*** Update File: src/b.ts', '*** Move to: src/a.ts']],
  ])('K2 Codex: a file that a patch names, by %s', (_name, lines) => {
    place.run('lock', 'acquire', 'src/a.ts', '--as', 'agent:other')
    const patch = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
    const calls: readonly (readonly [string, object])[] = [
      ['apply_patch', { command: patch }],
      ['apply_patch', { command: ['apply_patch', patch] }],
      ['Bash', { command: `apply_patch <<'EOF'\n${patch}\nEOF` }],
    ]
    for (const [tool_name, tool_input] of calls) {
      const blocked = node(event('PreToolUse', { tool_name, tool_input }), 'codex', '--gate')
      expect(blocked).toMatchObject({ status: 2, out: '' })
      expect(blocked.err).toContain('src/a.ts is locked by agent:other')
    }
    const other = { command: patch.replaceAll('src/a.ts', 'src/c.ts') }
    expect(node(event('PreToolUse', { tool_name: 'apply_patch', tool_input: other }), 'codex', '--gate')).toEqual(
      SILENT,
    )
    const about = { file_path: 'notes.md', content: patch }
    expect(node(event('PreToolUse', { tool_name: 'Write', tool_input: about }), 'codex', '--gate')).toEqual(SILENT)
  })

  test('K2 a suspended session blocks its tools; what is no tool, and what fails, is never blocked', () => {
    expect(place.run('session', 'suspend').status).toBe(0)
    expect(node(event('PreToolUse', { tool_name: 'Bash' }), 'claude', '--gate').status).toBe(2)
    expect(node(event('Stop'), 'claude', '--gate')).toEqual(SILENT)
    expect(node('half a l', 'claude', '--gate')).toEqual(SILENT)
    expect(node(event('PreToolUse'), 'claude', '--gate', '--session', 'nobody')).toEqual(SILENT)
  })
})

test('both ways record the same', () => {
  const tool = event('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'npm test' } })
  node(tool, 'codex')
  const [first] = runs()
  shell(tool, { agent: 'codex' })
  const [second] = runs()
  expect({ ...second, last_at: '' }).toEqual({ ...first, last_at: '' })
  expect(fs.readFileSync(logFile(), 'utf8')).toContain('npm test')
})
