/* What the overview calls yours to do. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
})
afterAll(() => place.remove())

interface Overview {
  readonly needs_you: readonly { readonly kind: string; readonly what: string; readonly next: string }[]
  readonly idle: readonly {
    readonly name: string
    readonly steps: { readonly total: number; readonly finished: number }
  }[]
}

test('a failure that its workflow has gone on from needs nobody; one it stands at does', () => {
  place.file(
    'half.workflow.yaml',
    'name: half\nstates:\n  one:\n    min_success: 0.5\n    steps: { a: { run: "true" }, b: { run: "false" } }\n  two:\n    steps: { c: { run: "exit 7" } }\n  done: {}\n',
  )
  expect(place.run('run', 'half.workflow.yaml').status).toBe(10)
  expect(place.data<Overview>('status').needs_you.map(({ kind, what }) => `${kind} ${what}`)).toEqual(['FAILED step c'])
})

test('what ran once beside a workflow is no step of it', () => {
  expect(place.run('once', 'beside', '--', 'true').status).toBe(0)
  expect(place.data<Overview>('status').idle).toMatchObject([{ name: 'half', steps: { total: 3, finished: 1 } }])
})

test("V2 steps that a dead runner left are nobody's until somebody runs them: recovered, they wait for run", () => {
  const stopped = new Place()
  const kill = 'kill -9 "$(cat runner.pid)"; sleep 0.2; kill -9 -- -$$'
  stopped.file(
    'cut.workflow.yaml',
    `name: cut\nstates:\n  one:\n    steps: { a: { run: ${JSON.stringify(kill)} } }\n  done: {}\n`,
  )
  stopped.shell('echo $$ > runner.pid; exec "$@" run cut.workflow.yaml')
  expect(stopped.run('recover').status).toBe(0)
  const { needs_you } = stopped.data<Overview>('status')
  expect(needs_you.map(({ kind, what, next }) => [kind, what, next])).toEqual([
    ['STOPPED', 'a', 'steadfold run --session cut'],
  ])
  stopped.remove()
})

test('a step that Ctrl-C has stopped did not fail: it waits for run', async () => {
  const stopped = new Place()
  stopped.file('cut.workflow.yaml', 'name: cut\nstates:\n  one:\n    steps: { a: { run: sleep 60 } }\n  done: {}\n')
  const runner = stopped.start('run', 'cut.workflow.yaml')
  let said = ''
  runner.stderr.on('data', (text: Buffer) => {
    // The line that says a step began.
    if (!said.includes('started') && (said += String(text)).includes('started')) runner.kill('SIGINT')
  })
  expect(await new Promise((resolve) => runner.on('exit', resolve))).toBe(130)
  expect(stopped.data<Overview>('status').needs_you).toMatchObject([
    { kind: 'STOPPED', what: 'a', why: 'interrupted, runs again', next: 'steadfold run --session cut' },
  ])
  stopped.remove()
})

test('single commands whose runner was killed are named by recover and status, with the line that goes on', () => {
  const killed = new Place()
  killed.run('session', 'create', 'pay')
  const work = ['sh', '-c', 'kill -9 "$(cat runner.pid)"; sleep 0.2; echo paid']
  const line = `-- sh -c '${work[2]}'`
  killed.shell(`echo $$ > runner.pid; exec "$@" once charge ${line}`)
  const once = `steadfold once charge --session pay ${line}`
  expect(killed.data<Overview>('status').needs_you).toMatchObject([
    { kind: 'STOPPED', what: 'once charge', next: once },
  ])
  const plans = () => killed.data<{ readonly sessions: readonly object[] }>('recover', '--dry-run').sessions
  expect(plans()).toMatchObject([{ holder: 'once charge', token: null, return: ['step charge'], then: once }])
  expect(killed.run('recover').out).toMatch(/ done {6}nothing: /)
  expect(killed.data('recover')).toMatchObject({ dry_run: false, sessions: [{ seq: null }] })
  expect(killed.run('once', 'charge', '--', ...work)).toMatchObject({ status: 0, out: 'paid\n' })
  expect(plans()).toEqual([])

  killed.shell(`echo $$ > runner.pid; exec "$@" run ${line}`)
  const [plan] = plans() as readonly { readonly name: string; readonly then: string }[]
  expect(plan?.then).toBe(`steadfold run --session ${plan?.name} ${line}`)
  expect(killed.run('run', '--session', plan?.name ?? '', '--', ...work).status).toBe(0)
  killed.remove()
})

test('a run that was killed while it waited for a retry is gone on with by run, as recover says', () => {
  const killed = new Place()
  killed.file('wait.workflow.yaml', 'states: { a: { steps: { late: { run: exit 75 } } }, b: {} }')
  killed.shell('"$@" run wait.workflow.yaml 2> said & until grep -q waiting said; do sleep 0.1; done; kill -9 $!; wait')
  const [plan] = killed.data<{ readonly sessions: readonly object[] }>('recover').sessions
  expect(plan).toMatchObject({ return: [], then: 'steadfold run --session wait' })
  killed.remove()
})

test('a workflow that waits at the gate of its last state is not done before a person has passed it and it was run', () => {
  const gated = new Place()
  gated.file('ask.workflow.yaml', 'states: { a: { steps: { work: { run: "true" } } }, b: { approval: true } }')
  const seen = () => {
    const { needs_you, done, idle } = gated.data<Record<'needs_you' | 'done' | 'idle', readonly object[]>>('status')
    const { next } = gated.data<{ readonly next: string | null }>('workflow', 'resume-check')
    return [needs_you.length, idle.length, done.length, next]
  }
  gated.run('run', 'ask.workflow.yaml')
  expect(seen()).toEqual([1, 1, 0, 'steadfold step list --status parked'])
  gated.run('step', 'release', 'b:approval')
  expect(seen()).toEqual([1, 1, 0, 'steadfold run'])
  gated.run('run', 'ask.workflow.yaml')
  expect(seen()).toEqual([0, 0, 1, null])
  gated.remove()
})

test('a session that recover holds takes no run until it is resumed, and is not begun anew', () => {
  const held = new Place()
  const kill = 'kill -9 "$(cat runner.pid)"; sleep 0.2; kill -9 -- -$$'
  held.file(
    'cut.workflow.yaml',
    `name: cut\nstates:\n  one:\n    steps: { a: { run: ${JSON.stringify(kill)} } }\n  done: {}\n`,
  )
  held.shell('echo $$ > runner.pid; exec "$@" run cut.workflow.yaml')
  const { out } = held.run('recover', '--hold')
  const told = [...out.matchAll(/^ {2}then {6}(.+)$/gm)].map(([, line]) => line)
  expect(told).toEqual(['steadfold session resume cut', 'steadfold run --session cut'])
  const nexts = held.data<Overview>('status').needs_you.map(({ next }) => next)
  expect(new Set(nexts)).toEqual(new Set(['steadfold session resume --session cut']))
  const sessions = () => held.data<readonly { readonly name: string; readonly status: string }[]>('session', 'list')
  expect(sessions()).toMatchObject([{ name: 'cut', status: 'recovering' }])
  expect(held.run('run', 'cut.workflow.yaml').status).toBe(4)
  expect(sessions()).toHaveLength(1)
  expect(held.run('session', 'resume', 'cut').status).toBe(0)
  expect(sessions()).toMatchObject([{ name: 'cut', status: 'active' }])
  held.remove()
})

test('one that was suspended under its runner is woken first, whoever looks', () => {
  const slept = new Place()
  const nap = JSON.stringify([process.execPath, PROGRAM, 'session', 'suspend'])
  slept.file('nap.workflow.yaml', `name: nap\nstates:\n  one:\n    steps: { a: { run: ${nap} } }\n  done: {}\n`)
  expect(slept.run('run', 'nap.workflow.yaml').status).toBe(4)
  expect(slept.run('recover').out).toMatch(
    /then {6}steadfold session resume nap\n {2}then {6}steadfold run --session nap/,
  )
  expect(slept.data<Overview>('status').needs_you).toMatchObject([
    { kind: 'STOPPED', next: 'steadfold session resume --session nap' },
  ])
  slept.remove()
})

test('what is done is news until somebody has seen it, and again when it went on', () => {
  const here = new Place()
  const status = (...more: readonly string[]) =>
    here.runWith({ env: { XDG_STATE_HOME: here.dir } }, 'status', ...more).out
  const isNews = () => [status().includes('NOT SEEN YET (1)'), status('--json').includes('"seen":false')]
  here.file('short.workflow.yaml', 'name: short\nstates:\n  one:\n    steps: { a: { run: "true" } }\n  done: {}\n')
  here.run('run', 'short.workflow.yaml')
  expect(isNews()).toEqual([true, true])
  expect(status('--seen')).toContain('IDLE (1)')
  expect(isNews()).toEqual([false, false])
  here.run('output', 'set', 'more', '1')
  expect(isNews()).toEqual([true, true])
  here.remove()
})

test('a session whose log is gone needs somebody, whatever its id is', () => {
  place.data('session', 'create', 'chosen', '--id', 'build-auth')
  fs.rmSync(path.join(place.dir, '.steadfold/sessions/build-auth/log'), { recursive: true })
  const { needs_you } = place.data<{ readonly needs_you: readonly object[] }>('status')
  expect(needs_you).toContainEqual(expect.objectContaining({ kind: 'DAMAGED', session: 'build-auth', age_ms: 0 }))
})
