/* What a command finds around it: the folder it is in, what stands on its stdin, and where its stdout goes. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
})
afterAll(() => place.remove())

function inRemovedFolder(...args: readonly string[]) {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, PROGRAM, ...args], {
    cwd: place.dir,
    env: plainEnv(),
    encoding: 'utf8',
  })
  return { status, out: stdout, err: stderr }
}

test.each(['status', 'state get', 'session list'])('%s in a folder that was removed says so and exits 3', (line) => {
  const { status, out } = inRemovedFolder(...line.split(' '), '--json')
  expect(status).toBe(3)
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'FILE_NOT_FOUND', hint: expect.stringContaining('--dir') } })
})

test('a removed folder does not matter to a command that names its workspace', () => {
  expect(inRemovedFolder('state', 'get', 'session.name', '--dir', place.dir)).toMatchObject({
    status: 0,
    out: 'main\n',
  })
})

test.each([
  ['SIGINT', 'bundle inspect none.steadfold --passphrase-file -'],
  ['SIGTERM', 'redact test -'],
  ['SIGINT', 'state set data.x -'],
] as const)('%s ends %s while it waits for its stdin', async (signal, line) => {
  const args = [PROGRAM, ...line.split(' ')]
  const how = { cwd: place.dir, env: plainEnv(), timeout: 20_000, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, args, how)
  child.stdin.on('error', () => undefined)
  // More than a pipe holds: when it is gone, somebody reads.
  child.stdin.write('x'.repeat(4_000_000), () => child.kill(signal))
  expect(await new Promise((resolve) => child.on('exit', (_status, by) => resolve(by)))).toBe(signal)
})

test
  .runIf(process.platform === 'linux')
  .each(['output set latin', 'state set data.latin', 'task add', 'once latin -- cat', 'run -- cat'])(
  '%s of a word that is no UTF-8 is refused: it would be another word',
  (line) => {
    const script = String.raw`exec "$@" "$(printf 'caf\351')"`
    const args = ['-c', script, 'sh', process.execPath, PROGRAM, ...line.split(' ')]
    const { status, stderr } = spawnSync('sh', args, { cwd: place.dir, env: plainEnv(), encoding: 'utf8' })
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(/^error: "caf\ufffd" is not UTF-8 text: .+\nnext: .+\n$/),
    ])
    expect(place.run('output', 'get', 'latin').status).toBe(3)
    expect(place.run('state', 'set', 'data.sign', '\ufffd').status).toBe(0)
  },
)

test('once gives its command what stands on stdin, byte for byte, and keeps what that came to', () => {
  const bytes = Buffer.from([0, 255, 10, 13, 39, 96, 36])
  const ask = (input: Buffer) => place.runWith({ input }, 'once', 'count', '--', 'od', '-An', '-tx1')
  expect(ask(bytes).out.trim()).toBe('00 ff 0a 0d 27 60 24')
  expect(ask(Buffer.from('other')).out.trim()).toBe('00 ff 0a 0d 27 60 24')
})

test('JSON tells what once and run have read of a command whole, also where it is no text', () => {
  const command = ['printf', String.raw`\377\376a`]
  const told = { stdout: '\ufffd\ufffda', stdout_base64: '//5h' }
  const once = (key: string, ...argv: readonly string[]): unknown =>
    JSON.parse(place.run('once', key, '--json', '--', ...argv).out)
  expect(once('binary', ...command)).toMatchObject({ data: { kind: 'ran', ...told } })
  expect(once('binary', ...command)).toMatchObject({ data: { kind: 'replayed', ...told } })
  expect(once('text', 'printf', 'a')).not.toHaveProperty('data.stdout_base64')
  const { out } = place.run('run', '--follow', '--json', '--', ...command)
  const output: unknown = JSON.parse(out.split('\n').find((line) => line.includes('step-output')) ?? '{}')
  expect(output).toMatchObject({ type: 'step-output', text: '\ufffd\ufffda', text_base64: '//5h' })
})

test('once goes on where nobody reads any more, and keeps what it wrote', () => {
  const work = 'for i in 1 2 3 4; do echo $i; sleep 0.2; done'
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', '"$@" | head -1', 'sh', process.execPath, PROGRAM, 'once', 'count-on', '--', 'sh', '-c', work],
    {
      cwd: place.dir,
      env: plainEnv(),
      encoding: 'utf8',
    },
  )
  expect([stdout, stderr]).toEqual(['1\n', ''])
  expect(place.run('once', 'count-on', '--', 'sh', '-c', work).out).toBe('1\n2\n3\n4\n')
})

test('session create and fork rehearse, and keep a reason', () => {
  expect(place.data('session', 'create', 'later', '-n')).toMatchObject({ created: false, dry_run: true })
  expect(place.run('session', 'create', 'main', '-n')).toMatchObject({ status: 4 })
  expect(place.data('session', 'fork', 'main', 'later', '--dry-run')).toMatchObject({ created: false, dry_run: true })
  expect(place.run('session', 'exists', 'later').status).toBe(3)
  place.data('session', 'create', 'later', '--reason', 'because')
  const [first] = place.data<readonly { readonly reason?: string }[]>('log', '--session', 'later')
  expect(first).toMatchObject({ reason: 'because' })
  place.data('session', 'end', 'later')
})

test('session create answers again for the key that began it', () => {
  const create = () => place.data('session', 'create', 'keyed', '--key', 'once')
  expect(create()).toEqual(create())
  place.data('session', 'end', 'keyed')
})

test('generated reads answer as of a point', () => {
  place.data('task', 'add', 'one')
  const { seq } = place.data<{ readonly seq: number }>('task', 'list')
  place.data('task', 'add', 'two')
  expect(place.data('task', 'list')).toMatchObject({ value: [{ title: 'one' }, { title: 'two' }] })
  expect(place.data('task', 'list', '--at', String(seq))).toMatchObject({ seq, value: [{ title: 'one' }] })
  expect(place.run('task', 'list', '--at', 'nowhere').status).toBe(3)
})

test('where no more fits behind stdout, the error goes to stderr, and the exit status is that of a full disk', () => {
  for (const line of [
    'log --json',
    'log',
    'state get --json',
    'help --json',
    'tail -n 1 --json',
    'state get data.no --json',
  ]) {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', '"$@" >/dev/full', 'sh', process.execPath, PROGRAM, ...line.split(' ')],
      {
        cwd: place.dir,
        env: plainEnv(),
        encoding: 'utf8',
        timeout: 60_000,
      },
    )
    expect([line, status], stderr).toEqual([line, line.includes('data.no') ? 3 : 8])
    expect(stderr).toMatch(/^error: [^]*\nnext: /)
  }
})

test.each([
  [3, 'WORKSPACE_NOT_FOUND', 'status --dir FILE'],
  [3, 'WORKSPACE_NOT_FOUND', 'state get --dir FILE/below'],
  [3, 'WORKSPACE_NOT_FOUND', 'workspace copy FILE to'],
  [3, 'FILE_NOT_FOUND', 'workspace copy . FILE'],
  [3, 'FILE_NOT_FOUND', 'workspace copy . FILE/below'],
])('%i %s: a file where a folder belongs: %s', (status, code, line) => {
  const file = place.file('a-file', 'text')
  const done = place.run(...line.replace('FILE', file).split(' '), '--json')
  expect([done.status, JSON.parse(done.out)]).toMatchObject([status, { error: { code, hint: expect.any(String) } }])
})

test('an empty HOME is none: the account says where a person keeps things', () => {
  const { out } = place.runWith({ env: { HOME: '' } }, 'install', 'codex', '--user', '--dry-run', '--json')
  const { data } = JSON.parse(out) as { readonly data: { readonly files: readonly { readonly file: string }[] } }
  expect(data.files[0]?.file).toBe(path.join(os.userInfo().homedir, '.codex/hooks.json'))
})

// Only root may become somebody else; containers are often run as a number that no list of users has.
test.runIf(process.getuid?.() === 0)('a user who is in no list of users, with no home, works as any other', () => {
  const shared = new Place({ init: false })
  const uid = 54_321
  const env = Object.fromEntries(
    Object.entries(plainEnv()).filter(([name]) => !/^(HOME|USER|LOGNAME|XDG_.*)$/.test(name)),
  )
  try {
    fs.chownSync(shared.dir, uid, uid)
    for (const line of [
      'init',
      'session create one',
      'state set data.a 1',
      'gc --dry-run',
      'remote list',
      'key list',
    ]) {
      const args = [PROGRAM, ...line.split(' ')]
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: shared.dir, env, uid, gid: uid })
      expect([line, status], stderr.toString()).toEqual([line, 0])
    }
    expect(shared.run('blame', 'data.a').out).toContain('human:uid-54321')
  } finally {
    shared.remove()
  }
})

test('where no terminal is, lists and values are told whole', () => {
  const long = 'which hash is right for passwords, and why is it not the one that we have had for ten years now?'
  const tell = (...args: readonly string[]): string => {
    const { status, out, err } = place.run(...args, '--session', 'main')
    expect(status, err).toBe(0)
    return out
  }
  tell('message', 'send', long, '--to', 'worker-1', '--as', 'agent:lead')
  tell('output', 'set', 'hash', long)
  tell('state', 'set', `data.${'deep.'.repeat(12)}hash`, long)
  expect(tell('message', 'list')).toContain(long)
  expect(tell('message', 'list')).not.toContain('not shown')
  expect(tell('output', 'list')).toContain(long)
  expect(tell('diff', '1')).toContain(long)
  expect(tell('state', 'query', '$..hash', '--paths')).toContain(`${'deep.'.repeat(12)}hash  `)
})
