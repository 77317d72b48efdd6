/* One real case for each exit status of the table, each also as JSON. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
  place.run('state', 'set', 'data.topic', 'auth')
  place.file(
    'broken.workflow.yaml',
    'states:\n  one:\n    steps:\n      a: { run: "true", needs: [b] }\n      b: { run: "true", needs: [a] }\n',
  )
  place.file('fails.workflow.yaml', 'name: fails\nstates:\n  one:\n    steps:\n      bad: { run: "exit 7" }\n')
  place.file(
    'gate.workflow.yaml',
    'name: gate\nstates:\n  one:\n    approval: true\n    steps:\n      a: { run: "true" }\n',
  )
})
afterAll(() => place.remove())

const CASES: readonly (readonly [status: number, code: string | undefined, argv: string])[] = [
  [0, undefined, 'state get data.topic'],
  [0, undefined, 'state get organization.teams'],
  [0, undefined, 'state delete data.nothing'],
  [3, 'PATH_NOT_FOUND', 'state get data.nothing'],
  [3, 'SESSION_NOT_FOUND', 'state get --session nobody'],
  [3, 'POINT_NOT_FOUND', 'show 99'],
  [3, 'OUTPUT_NOT_FOUND', 'output get nothing'],
  [3, 'STEP_NOT_FOUND', 'step show nothing'],
  [3, 'FILE_NOT_FOUND', 'run nothing.yaml'],
  [3, 'WORKSPACE_NOT_FOUND', 'status --dir /'],
  [4, 'TRANSITION_INVALID', 'workflow transition debug'],
  [4, 'PATH_NOT_WRITABLE', 'state set session.name x'],
  [4, 'NUMBER_NOT_EXACT', 'state set data.n 9007199254740993'],
  [4, 'TEST_FAILED', 'state test data.topic --equals other'],
  [4, 'WORKFLOW_CYCLE', 'workflow validate broken.workflow.yaml'],
  [4, 'NAME_TAKEN', 'session create main'],
  [4, 'QUERY_INVALID', 'state query $..['],
  [5, 'CONFLICT', 'state set data.topic x --if-seq 1'],
  [7, 'WAIT_TIMEOUT', 'wait --seq 1000 --timeout 50ms'],
  [10, 'STEP_FAILED', 'once fails -- false'],
  [64, 'USAGE', 'run --session main'],
  [64, 'USAGE', 'stat'],
  [64, 'USAGE', 'state set'],
  [64, 'USAGE', 'state get data.topic --nonsense'],
  [64, 'USAGE', 'state get a b c'],
  [64, 'USAGE', 'state set data.x 1 --if-seq one'],
  [64, 'USAGE', 'state set data.x 1 --key='],
  [64, 'USAGE', 'session'],
  [64, 'USAGE', 'completion tcsh'],
  [64, 'OPERATION_UNKNOWN', 'schema no.such'],
]

describe('the exit status', () => {
  test.each(CASES)('is %i (%s) for: %s', (status, code, line) => {
    const argv = line.split(' ')
    const human = place.run(...argv)
    expect(human.status, human.err).toBe(status)
    if (code === undefined) return
    expect(human.out, 'data has stdout to itself').toBe('')
    expect(human.err).toMatch(/^(warning: .*\n)*error: \S/)
    expect(human.err, 'what to do next').toMatch(/^next: \S/m)
    expect(human.err).not.toMatch(/^ {4}at /m)
    const cut = argv.indexOf('--')
    const json = place.run(...(cut < 0 ? [...argv, '--json'] : [...argv.slice(0, cut), '--json', ...argv.slice(cut)]))
    expect(json.status).toBe(status)
    const last = json.out.trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({
      error: { code, message: expect.any(String) as unknown, hint: expect.anything() as unknown },
    })
  })

  test('is 6 while another holds the session', () => {
    const held = place.data<{ readonly value: unknown }>(
      'session',
      'acquire',
      '--as',
      'agent:other',
      '--ttl-ms',
      '60000',
    )
    expect(held).toMatchObject({ seq: expect.any(Number) as unknown })
    const second = place.run('session', 'acquire', '--as', 'agent:second')
    expect(second.status, second.err).toBe(6)
    const { token } = held.value as { readonly token: number }
    expect(place.run('session', 'release', '--token', String(token)).status).toBe(0)
  })

  test('is 3 for what the environment names, and the advice says so', () => {
    expect(place.runWith({ env: { STEADFOLD_DIR: '/no/such' } }, 'status')).toMatchObject({
      status: 3,
      err: expect.stringContaining('next: STEADFOLD_DIR names it') as unknown,
    })
    expect(place.runWith({ env: { STEADFOLD_SESSION: 'gone' } }, 'state', 'get')).toMatchObject({
      status: 3,
      err: expect.stringContaining('next: STEADFOLD_SESSION names it') as unknown,
    })
  })

  test('is 4 for settings that are no JSON, by the name of their file', () => {
    const file = place.file('.steadfold/config.json', '{')
    expect(place.run('status')).toMatchObject({
      status: 4,
      err: expect.stringContaining(`error: ${file}: `) as unknown,
    })
    fs.rmSync(file)
  })

  test('is 4 for running a workflow that has no steps', () => {
    place.run('session', 'create', 'empty')
    expect(place.run('workflow', 'define', '--session', 'empty').status).toBe(0)
    expect(place.run('run', '--session', 'empty')).toMatchObject({
      status: 4,
      err: expect.stringContaining('has no steps') as unknown,
    })
    expect(place.run('session', 'end', 'empty', '--outcome', 'cancelled').status).toBe(0)
  })

  test('is 4 for setting all of the state, and the advice is a path', () => {
    expect(place.run('state', 'set', '$', '1')).toMatchObject({
      status: 4,
      err: expect.stringContaining('next: name a member: $.data.topic') as unknown,
    })
  })

  test('is 0 for null, which is a value', () => {
    expect(place.run('state', 'set', 'data.nothing-yet', 'null').status).toBe(0)
    expect(place.run('state', 'get', 'data.nothing-yet')).toMatchObject({ status: 0, out: 'null\n' })
    expect(place.run('state', 'get', 'data.nothing-yet', '--default', '1').out).toBe('null\n')
  })

  test('is 9 for what is not found in a damaged log, and what is proven is read with a warning', () => {
    const other = new Place()
    const { session } = other.data<{ session: { id: string } }>('session', 'create', 'main')
    for (const name of ['one', 'two', 'three']) other.run('state', 'set', `data.${name}`, name)
    const file = path.join(other.dir, '.steadfold', 'sessions', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":"two"', '"value":"TWO"'))
    expect(other.run('state', 'get', 'data.one')).toMatchObject({
      status: 0,
      out: 'one\n',
      err: expect.stringMatching(/^warning: the log is damaged at commit 3/) as unknown,
    })
    expect(other.run('state', 'get', 'data.three').status).toBe(9)
    expect(other.run('recover', 'main')).toMatchObject({ status: 9, out: '' })
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll('{"v":1,', '{"v":9,'))
    for (const line of ['verify', 'state get'])
      expect(other.run(...line.split(' '), '--json').out).toMatch(/"error":\{"code":"VERSION_UNKNOWN"/)
    const newer = other.run('state', 'get')
    expect(newer).toMatchObject({ status: 9, out: '' })
    expect(newer.err).toMatch(/^next: open it with the newer steadfold/m)
    expect(other.run('verify').out).toMatch(/^next: open it with the newer steadfold/m)
    other.remove()
  })

  test('is 8 where the workspace cannot be used', () => {
    const other = new Place({ init: false })
    fs.symlinkSync(path.join(place.dir, '.steadfold'), path.join(other.dir, '.steadfold'))
    const done = other.run('session', 'list')
    expect(done.status, done.err).toBe(8)
    other.remove()
  })

  test('is 9 for a log that was altered; reads go on with what is proven', () => {
    const other = new Place()
    const { session } = other.data<{ readonly session: { readonly id: string } }>('session', 'create', 'altered')
    for (const n of ['1', '2', '3']) other.run('state', 'set', 'data.n', n)
    const log = path.join(other.dir, '.steadfold/sessions', session.id, 'log/00000000000000000001.jsonl')
    fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"value":2', '"value":7'))
    const done = other.run('verify')
    expect(done.status, done.err).toBe(9)
    expect(done.out).toMatch(/00000000000000000001\.jsonl byte [\d,]+/)
    const [verified] = (
      JSON.parse(other.run('verify', '--json').out) as {
        readonly data: readonly { readonly ok: boolean; readonly error: { readonly byte: number } }[]
      }
    ).data
    expect(verified).toMatchObject({
      ok: false,
      seq: 2,
      error: { code: 'LOG_CORRUPT', byte: expect.any(Number) as unknown },
    })
    expect(other.run('state', 'set', 'data.n', '4').status).toBe(9)
    expect(other.run('repair', 'altered', '--dry-run').out).toContain('would keep 2 commits')
    expect(other.run('repair', 'altered').status).toBe(0)
    expect(other.run('verify').status).toBe(0)
    expect(other.run('state', 'get', 'data.n').out).toBe('1\n')
    other.remove()
  })

  test('is 10 when steps failed', () => {
    const done = place.run('run', 'fails.workflow.yaml')
    expect(done.status, done.err).toBe(10)
  })

  test('is 11 when a person is needed, and 0 when they said yes', () => {
    const done = place.run('run', 'gate.workflow.yaml')
    expect(done.status, done.err).toBe(11)
    expect(place.run('status').out).toMatch(/NEEDS YOU[^]*GATE/)
    expect(place.run('step', 'release', 'one:approval', '--session', 'gate').status).toBe(0)
    expect(place.run('run', 'gate.workflow.yaml').status).toBe(0)
  })

  test('of wait is no failure of a step that its runner tries again by itself', async () => {
    const flaky = { run: 'test "$STEADFOLD_ATTEMPT" -ge 2', retries: 1 }
    place.file('flaky.workflow.yaml', JSON.stringify({ states: { one: { steps: { flaky } } } }))
    place.run('session', 'create', 'flaky')
    const waiting = place.start('wait', '--step', 'flaky', '--session', 'flaky')
    const ended = new Promise((resolve) => waiting.on('close', resolve))
    expect(place.run('run', 'flaky.workflow.yaml', '--session', 'flaky').status).toBe(0)
    expect(await ended).toBe(0)
  })

  test('of wait is 4 when the session ends before, or had ended: it waited for ever', async () => {
    place.run('session', 'create', 'short')
    const words = ['wait', '--path', 'data.ready', '--session', 'short']
    const waiting = place.start(...words)
    const ended = new Promise((resolve) => waiting.on('close', resolve))
    place.run('session', 'end', 'short')
    expect(await ended).toBe(4)
    const { status, err } = place.run(...words)
    expect([status, err]).toEqual([4, expect.stringContaining('has ended, and this is not so: there is something at')])
    expect(place.run('wait', '--ended', '--session', 'short').status).toBe(0)
  })

  test('is never 2, and an unknown failure is 1 without a stack', () => {
    const { status, err } = place.runWith({ cwd: '/' }, 'init', '--dir', '/proc/1')
    expect(status).not.toBe(2)
    expect(status).not.toBe(0)
    expect(err).not.toMatch(/^ {4}at /m)
  })
})

describe('being stopped', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends a command cleanly with %i', async (signal, wanted) => {
    const child = place.start('tail', '--session', 'main', '--json')
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (out === '') child.kill(signal)
      out += chunk.toString()
    })
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect(status).toBe(wanted)
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string })
    expect(lines.at(-1)?.type).toBe('result')
  })

  test.each([
    ['tail', 'SIGINT', ['tail', '--session', 'main', '--json']],
    ['once', 'SIGTERM', ['once', 'much', '--session', 'main', '--', 'sh', '-c', 'head -c 900000 /dev/zero; sleep 60']],
  ] as const)('%s ends by %s where its reader stands still', async (_, signal, args) => {
    for (let i = 0; i < 9; i++) place.data('state', 'set', 'data.long', 'x'.repeat(100_000), '--session', 'main')
    const child = place.start(...args)
    const closed = once(child, 'exit')
    child.stdout.once('data', () => child.stdout.pause())
    await once(child.stdout, 'data')
    await setTimeout(1000)
    child.kill(signal)
    expect(await closed).toEqual([null, signal])
  })

  test('a second SIGINT ends at once what takes its time to stop', async () => {
    const child = place.start('run', '--session', 'main', '--', 'sh', '-c', 'trap "" TERM; : >deaf; sleep 5')
    const said = async (word: string) => {
      while (!String((await once(child.stderr, 'data'))[0]).includes(word)) continue
    }
    const closed = once(child, 'exit')
    // Before, it would stop at once.
    await expect.poll(() => fs.existsSync(path.join(place.dir, 'deaf')), { timeout: 20_000 }).toBe(true)
    child.kill('SIGINT')
    await said('stopping')
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
  })

  test('nobody reading stdout is no error', async () => {
    const child = place.start('log', '--session', 'main', '--json')
    child.stdout.destroy()
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    const status = await new Promise((resolve) => child.on('close', resolve))
    expect({ status, err }).toEqual({ status: 0, err: '' })
  })
})
