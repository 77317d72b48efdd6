import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { remove } from '../../../test/remove.ts'
import { until } from '../../../test/until.ts'
import type { Job } from '../../kernel/work/worker.ts'
import { isAlive, self } from './identity.ts'
import { Work } from './work.ts'
import { ProcessWorkers } from './workers.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'steadfold-process-'))
const root = path.join(cwd, '.steadfold')
mkdirSync(path.join(root, 'sessions', 's'), { recursive: true })
afterAll(() => remove(cwd))

const workers = new ProcessWorkers({ root, cwd })
const WRAPPER = path.join(import.meta.dirname, 'wrapper.sh')
let attempts = 0
const start = (command: Job['command'], more: Partial<Job> = {}) => {
  const dir = `attempt-${++attempts}`
  return workers.start({ session: 's', dir, command, env: {}, ...more }).then((worker) => ({ dir, worker }))
}
const find = (dir: string) => workers.find({ session: 's', dir, runner: self() })
const folder = (dir: string) => path.join(root, 'sessions', 's', 'work', dir)
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const has = (dir: string, name: string) => until(() => existsSync(path.join(folder(dir), name)))
/** The end of a worker's wait: `until [ -e NAME ]…` in its command. */
const release = (name: string) => writeFileSync(path.join(cwd, name), '')
const held = (name: string) => `until [ -e ${name} ]; do sleep 0.05; done; `
const ended = async (command: Job['command']) => {
  const { worker } = await start(command)
  const result = await worker.ended
  if (result.kind !== 'ended') throw new Error(result.reasons.join())
  return result
}

describe('a worker', () => {
  test('leaves its exit status, what it wrote, and how long it took', async () => {
    const result = await ended('echo out; echo err >&2; echo a=1 >> "$STEADFOLD_OUTPUT"; exit 3')
    expect(result).toMatchObject({ exit: 3, outputs: 'a=1\n', stopped: null })
    expect([text(result.stdout.bytes), text(result.stderr.bytes)]).toEqual(['out\n', 'err\n'])
  })

  test('a list is run without a shell', async () => {
    expect(text((await ended(['printf', '%s|', '$HOME', 'a b', '*'])).stdout.bytes)).toBe('$HOME|a b|*|')
  })

  test.each(['/no/such/program', 'no-such-program'])(
    '%s, which is not there, ends with 127 and its name',
    async (word) => {
      const result = await ended([word])
      expect(result).toMatchObject({ exit: 127 })
      expect(text(result.stderr.bytes)).toBe(`${word}: not found\n`)
    },
  )

  test('a command that cannot be started has not begun, and never will', async () => {
    const { dir, worker } = await start(['true', 'x'.repeat(4 * 1024 * 1024)])
    expect(await worker.ended).toMatchObject({ kind: 'gone', begun: false })
    expect(await find(dir)).toEqual({ kind: 'never' })
  })

  test.each(['exit', 'exec', 'cd'])('A6 %s is no program: it is told like any that is not there', async (word) => {
    expect(await ended([word, '0'])).toMatchObject({ exit: 127 })
  })

  test('A5 told to stop before its command begins, it never begins', async () => {
    const work = new Work(root, 's', 'told-early')
    work.make()
    work.noteStop('timeout')
    const ran = path.join(work.folder, 'ran')
    await once(spawn('/bin/sh', [WRAPPER, work.folder, 'touch', ran], { detached: true }), 'exit')
    expect([existsSync(ran), work.result()?.exit, work.result()?.stopped]).toEqual([false, 143, 'timeout'])
  })

  test('A4 a PATH of its own takes nothing from the command: it has its time, and its end is told', async () => {
    const env = { PATH: '/nowhere' }
    const { worker } = await start(['/bin/sh', '-c', '/bin/sleep 0.3; echo "$PATH"'], { env, within: 60_000 })
    const result = await worker.ended
    expect(result).toMatchObject({ kind: 'ended', exit: 0, stopped: null })
    expect('stdout' in result && text(result.stdout.bytes)).toBe('/nowhere\n')
    expect('stderr' in result && text(result.stderr.bytes)).toBe('')
  })

  test('its folder and files are private', async () => {
    const { dir, worker } = await start('true')
    await worker.ended
    expect(statSync(folder(dir)).mode & 0o777).toBe(0o700)
    for (const name of ['stdout', 'stderr', 'outputs'])
      expect(statSync(path.join(folder(dir), name)).mode & 0o777).toBe(0o600)
  })

  test('A3 SIGTERM ends the command, and the wrapper still tells', async () => {
    const { dir, worker } = await start('echo begun; sleep 600 & sleep 600')
    await until(() => statSync(path.join(folder(dir), 'stdout')).size > 0)
    worker.stop('SIGTERM', 'timeout')
    expect(await worker.ended).toMatchObject({ exit: 143, stopped: 'timeout' })
  })

  test('A3 what the command left running ends with it', async () => {
    const result = await ended('sleep 600 & echo $!')
    const pid = Number(text(result.stdout.bytes))
    await until(() => !isAlive(pid, '-'))
    expect(isAlive(pid, '-')).toBe(false)
  })

  test('A3 what the command left in a group of its own ends with it, one of a session of its own does not', async () => {
    const pids = text(
      (await ended(`timeout 600 sleep 600 & echo $!; setsid sleep 600 & echo $!; sleep 0.3`)).stdout.bytes,
    )
    const [timed = 0, away = 0] = pids.split('\n').map(Number)
    await until(() => !isAlive(timed, '-'))
    expect([isAlive(timed, '-'), isAlive(away, '-')]).toEqual([false, true])
    process.kill(away, 'SIGKILL')
  })

  test('A3 what it left in a group of its own ends also when it is found later', async () => {
    const { dir, worker } = await start(`${held('away')}timeout 600 sleep 600 & echo $!; sleep 0.3`)
    worker.detach()
    release('away')
    await has(dir, 'result')
    const pid = Number(readFileSync(path.join(folder(dir), 'stdout'), 'utf8'))
    expect(isAlive(pid, '-')).toBe(true)
    expect(await find(dir)).toMatchObject({ kind: 'ended', exit: 0 })
    await until(() => !isAlive(pid, '-'))
  })

  test('A3 SIGTERM reaches a command that makes a group of its own', async () => {
    const { dir, worker } = await start([
      'timeout',
      '600',
      'sh',
      '-c',
      'trap "exit 3" TERM; echo begun; sleep 600 & wait',
    ])
    await until(() => statSync(path.join(folder(dir), 'stdout')).size > 0)
    worker.stop('SIGTERM', 'timeout')
    expect(await worker.ended).toMatchObject({ exit: 3, stopped: 'timeout' })
  })

  test('A3 told to stop, it takes with it what the command has put into a session of its own', async () => {
    const { dir, worker } = await start(`setsid sh -c 'echo $$; exec sleep 600' & wait`)
    const output = path.join(folder(dir), 'stdout')
    await until(() => readFileSync(output, 'utf8') !== '')
    const pid = Number(readFileSync(output, 'utf8'))
    worker.stop('SIGTERM', 'timeout')
    expect(await worker.ended).toMatchObject({ kind: 'ended', stopped: 'timeout' })
    await until(() => !isAlive(pid, '-'))
    expect(isAlive(pid, '-')).toBe(false)
  })

  test('SIGKILL leaves a result all the same: who killed it noted why', async () => {
    const { dir, worker } = await start(`trap '' TERM; echo begun; while :; do sleep 1; done`)
    await until(() => statSync(path.join(folder(dir), 'stdout')).size > 0)
    worker.stop('SIGKILL', 'timeout')
    expect(await worker.ended).toMatchObject({ exit: 137, stopped: 'timeout' })
    expect(await find(dir)).toMatchObject({ kind: 'ended', exit: 137, stopped: 'timeout' })
  })

  test('stopped before it began, it took no time', () => {
    const work = new Work(root, 's', 'stopped-early')
    work.make()
    work.noteStop('interrupted')
    expect(work.result()).toMatchObject({ exit: 137, stopped: 'interrupted', duration_ms: 0 })
  })

  test('what it writes can be followed while it works', async () => {
    const seen: string[] = []
    const command = `echo one; ${held('heard')}echo two`
    const { worker } = await start(command, { onOutput: (_, bytes) => seen.push(text(bytes)) })
    await until(() => seen.length > 0)
    expect(seen).toEqual(['one\n'])
    release('heard')
    await worker.ended
    expect(seen.join('')).toBe('one\ntwo\n')
  })
})

test('one that is followed by somebody who throws goes on, and hears no more', async () => {
  let heard = 0
  const onOutput = () => {
    heard += 1
    throw new Error('nobody reads')
  }
  const { worker } = await start('echo one; sleep 0.2; echo two', { onOutput })
  expect(await worker.ended).toMatchObject({ kind: 'ended', exit: 0 })
  expect(heard).toBe(1)
})

describe('finding an attempt of another runner', () => {
  test('its result, when it has ended', async () => {
    const { dir, worker } = await start('exit 5')
    await worker.ended
    expect(await find(dir)).toMatchObject({ kind: 'ended', exit: 5 })
  })

  test('the worker itself, while it lives', async () => {
    const { dir } = await start(`${held('found')}echo late`)
    await has(dir, 'claim')
    const found = await find(dir)
    expect(found.kind).toBe('alive')
    release('found')
    const result = found.kind === 'alive' ? await found.worker.ended : undefined
    expect(result).toMatchObject({ kind: 'ended', exit: 0 })
  })

  test('one that is left again goes on, whoever began it, and ends as if nobody had looked', async () => {
    const { dir, worker } = await start(`${held('left')}echo late`)
    await has(dir, 'claim')
    const found = await find(dir)
    if (found.kind !== 'alive') throw new Error(found.kind)
    found.worker.detach()
    worker.detach()
    await sleep(200)
    expect(isAlive(worker.pid, '-')).toBe(true)
    release('left')
    await has(dir, 'result')
    expect(await find(dir)).toMatchObject({ kind: 'ended', exit: 0 })
  })

  test('gone, when the wrapper was killed; and its command with it', async () => {
    const { dir, worker } = await start('sleep 600 & echo $!; wait')
    const output = path.join(folder(dir), 'stdout')
    await until(() => readFileSync(output, 'utf8') !== '')
    process.kill(worker.pid, 'SIGKILL')
    expect(await worker.ended).toMatchObject({ kind: 'gone' })
    const pid = Number(readFileSync(output, 'utf8'))
    await until(() => !isAlive(pid, '-'))
    expect([isAlive(pid, '-'), (await find(dir)).kind]).toEqual([false, 'gone'])
  })

  test('gone, and not never begun, when its folder was taken away; the command ends, which nobody could hear of', async () => {
    const { dir, worker } = await start('sleep 600')
    await has(dir, 'claim')
    rmSync(path.dirname(folder(dir)), { recursive: true })
    expect(await find(dir)).toMatchObject({ kind: 'gone', begun: true })
    expect(await worker.ended).toMatchObject({ kind: 'gone', begun: true })
    expect([isAlive(worker.pid, '-'), existsSync(folder(dir))]).toEqual([false, false])
  })

  test('an empty folder is cleared away, one that something is in only as a whole', async () => {
    workers.prepare('clear', 'empty')
    workers.prepare('clear', 'begun')
    writeFileSync(path.join(root, 'sessions/clear/work/begun/outputs'), '')
    expect(workers.folders('clear').toSorted((a, b) => (a.dir < b.dir ? -1 : 1))).toEqual([
      { dir: 'begun', empty: false },
      { dir: 'empty', empty: true },
    ])
    for (const dir of ['begun', 'empty', 'none']) workers.discardEmpty('clear', dir)
    expect(workers.folders('clear')).toEqual([{ dir: 'begun', empty: false }])
  })

  test('A1 never begun, and then it never begins: a wrapper that comes late does nothing', async () => {
    const dir = 'late'
    workers.prepare('s', dir)
    expect(await find(dir)).toEqual({ kind: 'never' })
    const late = await workers.start({ session: 's', dir, command: 'echo effect > effect', env: {} })
    expect(await late.ended).toMatchObject({ kind: 'gone', begun: false })
    expect(() => statSync(path.join(cwd, 'effect'))).toThrow('ENOENT')
    expect(await find(dir)).toEqual({ kind: 'never' })
  })

  test('A1 of a wrapper and a runner that give up and begin at once, one wins', async () => {
    for (let i = 0; i < 10; i++) {
      const dir = `race-${i}`
      workers.prepare('s', dir)
      const [late, found] = await Promise.all([
        workers.start({ session: 's', dir, command: `echo ${i} >> raced-${i}`, env: {} }),
        sleep(i % 4).then(() => find(dir)),
      ])
      await late.ended
      let effects = 0
      try {
        effects = readFileSync(path.join(cwd, `raced-${i}`), 'utf8').length
      } catch {}
      expect(effects > 0).toBe(found.kind !== 'never')
    }
  })

  test('an attempt of another machine is not guessed at', async () => {
    mkdirSync(folder('far'), { recursive: true })
    writeFileSync(path.join(folder('far'), 'claim'), '1 -\n')
    const far = { ...self(), host: 'elsewhere', boot_id: 'theirs' }
    expect(await workers.find({ session: 's', dir: 'far', runner: far })).toMatchObject({ kind: 'gone' })
  })

  test.each(['..', '../x', 'a/b', ''])('%j is no folder of an attempt', async (dir) => {
    await expect(find(dir)).rejects.toMatchObject({ code: 'NAME_INVALID' })
  })
})
