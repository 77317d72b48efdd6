import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { held, projectForEachTest } from '../../test/runner/project.ts'
import { until } from '../../test/until.ts'
import { onceKey } from '../domain/steps/key.ts'
import { recordNamed, stepsOf } from '../domain/steps/steps.ts'
import { ProcessWorkers } from '../drivers/process/workers.ts'
import type { Session } from '../kernel/session.ts'

const project = projectForEachTest()

/** How many have found that another runs it. */
let waiting = 0
beforeEach(() => {
  waiting = 0
})

const once = async (key: string, argv: readonly string[]) => {
  const opened =
    (await project.workspace.session('s').catch(() => undefined)) ??
    (await project.workspace.createSession({ name: 's' }))
  let out = ''
  const result = await project.runner.once({
    session: opened,
    key,
    argv,
    onWait: () => (waiting += 1),
    onOutput: (stream, bytes) => (out += `${stream}:${Buffer.from(bytes).toString()}`),
  })
  return { ...result, out }
}

test('U1 a success is replayed with what it wrote', async () => {
  const command = ['sh', '-c', 'echo x >> effects; echo out; echo err >&2']
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 0 })
  expect(await once('k', command)).toMatchObject({ kind: 'replayed', exit: 0, out: 'stdout:out\nstderr:err\n' })
  expect(project.effects()).toEqual(['x'])
})

const TOKEN = `ghp_${'a1'.repeat(18)}`

test('U1 U3 a command that holds a secret, of which the log has a placeholder, is known again', async () => {
  const command = ['sh', '-c', `echo x >> effects; [ ${TOKEN} ]`]
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 0 })
  expect(await once('k', command)).toMatchObject({ kind: 'replayed', exit: 0 })
  await expect(once('k', ['sh', '-c', `echo y >> effects; [ ${TOKEN} ]`])).rejects.toMatchObject({ code: 'KEY_REUSED' })
  expect(project.effects()).toEqual(['x'])
})

test('such a command is not run as it is shown, with a placeholder in the place of the secret', async () => {
  const command = ['sh', '-c', 'echo x >> effects; [ [redacted:github] ]']
  await expect(once('k', command)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  expect(existsSync(project.file('effects'))).toBe(false)
})

test('R3 so is one that was begun by run, and is not begun anew in another session', async () => {
  const argv = ['sh', '-c', `echo x >> effects; [ ${TOKEN} ] && exit 64`]
  const { status, session } = await project.runner.runCommand({ argv })
  expect(status).toBe('needs-person')
  expect(await project.runner.runCommand({ argv })).toMatchObject({ status: 'needs-person', session })
  expect(project.effects()).toEqual(['x'])
})

test('U1 of one that wrote more than is kept, who gets it again is told so', async () => {
  const command = ['sh', '-c', 'echo first; head -c 16777216 /dev/zero; echo err >&2']
  expect(await once('k', command)).toMatchObject({ kind: 'ran', truncated: [] })
  const { kind, truncated, out } = await once('k', command)
  expect([kind, truncated, out.includes('first')]).toEqual(['replayed', ['stdout'], false])
})

test.each([
  ['gone', (blob: string) => rmSync(blob)],
  ['altered', (blob: string) => appendFileSync(blob, 'x')],
])('U1 of one whose output is %s nothing is shown, and who gets it again is told so', async (_, harm) => {
  const command = ['sh', '-c', 'echo first; echo err >&2']
  expect(await once('k', command)).toMatchObject({ kind: 'ran', lost: [] })
  const session = await project.session('s')
  const { sha256 } = recordNamed(stepsOf(session.stored), 'k')?.result?.stdout ?? { sha256: '' }
  harm(project.file(`.steadfold/sessions/${session.id}/blobs/sha256/${sha256.slice(0, 2)}/${sha256}`))
  const again = await once('k', command)
  expect(again).toMatchObject({ kind: 'replayed', exit: 0, lost: ['stdout'], out: 'stderr:err\n' })
})

test.each([
  ['', 'the key must not be empty'],
  ['a\tb', 'the key must not hold control characters'],
  ['k'.repeat(201), 'the key must be at most 200 characters long'],
])('a key that cannot be one is refused as a key: %j', async (key, message) => {
  const hint = 'steadfold once KEY -- COMMAND'
  await expect(once(key, ['true'])).rejects.toMatchObject({ code: 'INPUT_INVALID', message, hint })
})

test('U1 a failure is not kept', async () => {
  const command = ['sh', '-c', 'echo x >> effects; exit 3']
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 3 })
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 3 })
  expect(project.effects()).toHaveLength(2)
})

test('U1 a failure says why, and one that needs a person is said to be parked the first time, too', async () => {
  expect(await once('k', ['sh', '-c', 'exit 3'])).toMatchObject({ kind: 'ran', exit: 3, reason: 'exit 3' })
  const absent = { code: 'NEEDS_PERSON', details: { exit: 127 } }
  await expect(once('absent', ['/no/such/program'])).rejects.toMatchObject(absent)
  await expect(once('absent', ['/no/such/program'])).rejects.toMatchObject(absent)
})

test('who waits for a command that failed too often is told why', async () => {
  const stop = new AbortController()
  const told: string[] = []
  for (let n = 0; n < 3; n++) await once('k', ['false'])
  const onWait = (why: string) => {
    told.push(why)
    stop.abort()
  }
  const session = await project.workspace.session('s')
  const waiting = project.runner.once({ session, key: 'k', argv: ['false'], onWait, signal: stop.signal })
  await expect(waiting).rejects.toMatchObject({
    code: 'STEP_FAILED',
    message: '"k" was not run here: stopped before',
  })
  expect(told).toEqual([expect.stringMatching(/failed too often in a row; wait \d+ s/)])
})

test('U2 two at once run it once', async () => {
  await project.workspace.createSession({ name: 's' })
  const command = ['sh', '-c', `${held}echo x >> effects; echo done`]
  const ended = Promise.all([once('k', command), once('k', command), once('k', command)])
  await until(() => waiting === 2)
  project.release()
  const kinds = (await ended).map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['ran', 'waited', 'waited'])
  expect(project.effects()).toEqual(['x'])
})

test('U3 the same key with another command is refused', async () => {
  await once('k', ['true'])
  await expect(once('k', ['false'])).rejects.toMatchObject({ code: 'KEY_REUSED' })
})

test('U3 of a key that is parked it is told how another command takes its place', async () => {
  const session = await project.workspace.createSession({ name: 's' })
  await expect(once('k', ['no-such-command'])).rejects.toMatchObject({ code: 'NEEDS_PERSON' })
  await expect(once('k', ['true'])).rejects.toMatchObject({ hint: expect.stringMatching(/^steadfold step release k /) })
  await session.run('step.release', { step: 'k' }, { actor: 'human:local' })
  expect(await once('k', ['true'])).toMatchObject({ kind: 'ran', exit: 0 })
})

test('U3 a failure keeps no key from another command', async () => {
  await once('k', ['false'])
  expect(await once('k', ['true'])).toMatchObject({ kind: 'ran', exit: 0 })
})

/** Begins as a runner that dies: the attempt is in the ledger, its runner is a process that is not there. */
async function beginAndDie(command: readonly string[], more: object = {}) {
  const session = await project.workspace.createSession({ name: 's' })
  const { host } = project.workspace.kernel
  const workers = new ProcessWorkers({ root: project.file('.steadfold'), cwd: project.file('.') })
  const dir = host.newId()
  const worker = { dir, runner: { ...workers.self(), started: '1' }, pid: null }
  workers.prepare(session.id, dir)
  await session.run('step.start', { key: onceKey('k', host.sha256), name: 'k', command, worker, ...more })
  /** Leaves the worker to itself once it has claimed its attempt. */
  const outlive = async () => {
    ;(await workers.start({ session: session.id, dir, command, env: {} })).detach()
    const claim = project.file(`.steadfold/sessions/${session.id}/work/${dir}/claim`)
    await until(() => existsSync(claim))
  }
  return { session, outlive }
}

async function adoptions(session: Session): Promise<number> {
  let count = 0
  for await (const { events } of session.commits()) count += events.filter(({ type }) => type === 'step.adopted').length
  return count
}

test('what a runner promised and never began is begun by the next who asks', async () => {
  const command = ['sh', '-c', 'echo x >> effects']
  await beginAndDie(command)
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 0 })
  expect(project.effects()).toEqual(['x'])
})

test('U2 a worker that outlived its runner is waited for, and its result is kept', async () => {
  const command = ['sh', '-c', `${held}echo x >> effects; echo done`]
  const { outlive } = await beginAndDie(command)
  await outlive()
  const ended = once('k', command)
  await until(() => waiting === 1)
  project.release()
  expect(await ended).toMatchObject({ kind: 'waited', exit: 0, out: 'stdout:done\n' })
  expect(project.effects()).toEqual(['x'])
})

test('U2 of two who find such a worker one adopts it, and the other waits for that one', async () => {
  const command = ['sh', '-c', `${held}echo x >> effects`]
  const { session, outlive } = await beginAndDie(command)
  await outlive()
  const ended = Promise.all([once('k', command), once('k', command), once('k', command)])
  await until(async () => waiting === 3 && (await adoptions(session)) > 0)
  project.release()
  expect((await ended).map(({ exit }) => exit)).toEqual([0, 0, 0])
  expect(project.effects()).toEqual(['x'])
  expect(await adoptions(session)).toBe(1)
})

test('U4 who adopted a worker and is stopped leaves it to the next who asks', async () => {
  const command = ['sh', '-c', `${held}echo x >> effects`]
  const { session, outlive } = await beginAndDie(command)
  await outlive()
  const stop = new AbortController()
  const asked = { session, key: 'k', argv: command, signal: stop.signal }
  const ended = project.runner.once(asked).catch((error: unknown) => error)
  await until(async () => (await adoptions(session)) > 0)
  stop.abort()
  expect(await ended).toMatchObject({ code: 'STEP_FAILED' })
  const next = once('k', command)
  await until(() => waiting === 1)
  project.release()
  expect(await next).toMatchObject({ kind: 'waited', exit: 0 })
  expect(project.effects()).toEqual(['x'])
})

test('a worker whose folder was taken away is unknown, and does not run beside another', async () => {
  const command = ['sh', '-c', 'echo x >> effects; sleep 60']
  const { session, outlive } = await beginAndDie(command)
  await outlive()
  await until(() => existsSync(project.file('effects')) && project.effects()[0] === 'x')
  rmSync(project.file(`.steadfold/sessions/${session.id}/work`), { recursive: true })
  await expect(once('k', command)).rejects.toMatchObject({ code: 'NEEDS_PERSON' })
  expect(project.effects()).toEqual(['x'])
})

test('an outcome that is not known waits for a person, and runs again when released', async () => {
  const command = ['sh', '-c', 'echo x >> effects; [ -e calm ] || kill -9 $PPID']
  await expect(once('k', command)).rejects.toMatchObject({ code: 'NEEDS_PERSON' })
  await expect(once('k', command)).rejects.toMatchObject({
    code: 'NEEDS_PERSON',
    hint: 'steadfold step release k --session s',
  })
  project.write('calm', '')
  await (await project.session('s')).run('step.release', { step: 'k' })
  expect(await once('k', command)).toMatchObject({ kind: 'ran', exit: 0 })
  expect(project.effects()).toEqual(['x', 'x'])
})

test('what runs on a host that nobody sees from here is told, and a person who says that it is gone lets it run again', async () => {
  const elsewhere = { host: 'alpha', boot_id: 'b', pid_namespace: 'n', pid: 7, started: '1' }
  const session = await project.workspace.createSession({ name: 's' })
  const key = onceKey('k', project.workspace.kernel.host.sha256)
  const command = ['sh', '-c', 'echo x >> effects']
  const worker = { dir: project.workspace.kernel.host.newId(), runner: elsewhere, pid: null }
  await session.run('step.start', { key, name: 'k', command, worker })
  const waits: string[] = []
  const asked = { session, key: 'k', argv: command, onWait: (why: string) => waits.push(why) }
  const ended = project.runner.once(asked).catch((error: unknown) => error)
  await until(() => waits.length > 0)
  expect(waits[0]).toContain('pid 7 on alpha runs "k"')
  expect(waits[0]).toContain('steadfold step park k --gone --session s')
  await session.run('step.park', { step: 'k', gone: true }, { actor: 'human:ana' })
  expect(await ended).toMatchObject({ code: 'NEEDS_PERSON' })
  await session.run('step.release', { step: 'k' })
  expect(await project.runner.once(asked)).toMatchObject({ kind: 'ran', exit: 0 })
})

test.each(['once', 'until it is asked again'])(
  'U6 a result that the store failed to take, %s, is told to who asks next',
  async (how) => {
    const session = await project.workspace.createSession({ name: 's' })
    const [run, asked] = [session.run.bind(session), { session, key: 'k', argv: ['sh', '-c', 'echo x >> effects'] }]
    let fails = false
    session.run = (...args: Parameters<typeof run>) => {
      fails ||= args[0] === 'step.finish'
      if (!fails) return run(...args)
      fails = how !== 'once'
      return Promise.reject(new Error('the disk is full'))
    }
    await expect(project.runner.once(asked)).rejects.toThrow('the disk is full')
    session.run = run
    expect(await project.runner.once(asked)).toMatchObject({ kind: 'waited', exit: 0 })
    expect(project.effects()).toEqual(['x'])
  },
)

test('U6 nor is one waited for whose worker could not be made', async () => {
  const argv = ['sh', '-c', 'echo x >> effects']
  const session = await project.workspace.createSession({ name: 's' })
  const run = session.run.bind(session)
  session.run = async (...args: Parameters<typeof run>) => {
    const answer = await run(...args)
    const [, { worker }] = args as unknown as [string, { worker: { dir: string } }]
    if (args[0] === 'step.start')
      mkdirSync(project.file(`.steadfold/sessions/${session.id}/work/${worker.dir}/outputs`))
    return answer
  }
  await expect(project.runner.once({ session, key: 'k', argv })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  session.run = run
  expect(await project.runner.once({ session, key: 'k', argv })).toMatchObject({ kind: 'ran', exit: 0 })
  expect(project.effects()).toEqual(['x'])
})
