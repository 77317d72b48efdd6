/* The next step that is told acts on the workspace and the session that were given. */
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM, Place, plainEnv } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  for (const name of ['a', 'b c']) place.run('session', 'create', name)
  for (const title of ['write', 'check']) place.run('task', 'add', title, '--session', 'b c')
})
afterAll(() => place.remove())

const told = (text: string): string => /^next: (.*)$/m.exec(text)?.[1] ?? ''

test('an error of a command with --session and --dir, pasted in another folder, as text and as JSON', () => {
  const asked = ['task', 'start', 'task-1', '--session', 'b c', '--dir', place.dir]
  const { err } = place.runWith({ cwd: '/' }, ...asked)
  const next = told(err)
  expect(next).toContain(`--dir ${place.dir} --session 'b c' task-1`)
  const { error } = JSON.parse(place.runWith({ cwd: '/' }, ...asked, '--json').out) as { error: { hint: string } }
  expect(error.hint).toBe(next)
  const program = `steadfold() { "${process.execPath}" "${PROGRAM}" "$@"; }`
  const done = spawnSync('sh', ['-c', `${program}; ${next.replace(/[,;].*/, '')}`], { cwd: '/', env: plainEnv() })
  expect(done.status, `${next}\n${String(done.stderr)}`).toBe(0)
})

test('a word that names the session counts as given, and what was not given is not told', () => {
  expect(told(place.run('session', 'show', 'b c@99').err)).toContain("steadfold log --session 'b c' lists")
  expect(told(place.run('task', 'show', 'none', '--session', 'a').err)).toBe('steadfold task list --session a')
  expect(told(place.runWith({ env: { STEADFOLD_SESSION: 'a' } }, 'task', 'show', 'none').err)).toBe(
    'steadfold task list',
  )
})

test('a line that is not understood, and what is told beside an answer', () => {
  expect(told(place.run('run', '--session', 'a').err)).toBe('steadfold run --session a FILE.workflow.yaml')
  const unsaid = place.run('lock', 'break', 'db', '-s', 'a', '--as', 'agent:w')
  expect(told(unsaid.err)).toBe('steadfold lock break --session a --as agent:w db --cause holder-gone')
  const { out } = place.runWith({ cwd: '/' }, 'task', 'why', 'task-2', '--session', 'b c', '--dir', place.dir)
  expect(told(out)).toBe(`steadfold task claim --dir ${place.dir} --session 'b c' task-2`)
})

test('where resuming goes on: where nothing can be run, by a transition', () => {
  const nextOf = (...flags: readonly string[]) =>
    /^next +(.*)$/m.exec(place.run('workflow', 'resume-check', ...flags).out)?.[1] ?? ''
  for (const defined of [false, true]) {
    if (defined) place.run('workflow', 'define', '--session', 'b c')
    const next = nextOf('--session', 'b c', '--dir', place.dir)
    expect(next).toBe(`steadfold workflow transition --dir ${place.dir} --session 'b c' research`)
  }
  place.file('one.workflow.yaml', 'states: { one: { steps: { a: { run: "true" } } } }')
  place.run('workflow', 'define', 'one.workflow.yaml', '--session', 'a')
  expect(nextOf('--session', 'a')).toBe('steadfold run --session a')
})

test('names words of the line that was given as a shell reads them, and those that a command needs', () => {
  expect(told(place.run('once', 'a b', '--session', 'a').err)).toBe("steadfold once --session a 'a b' -- CMD")
  place.run('task', 'add', 'over', '--session', 'a')
  for (const verb of ['claim', 'done']) place.run('task', verb, 'task-1', '--session', 'a')
  expect(told(place.run('task', 'fail', 'task-1', '--session', 'a').err)).toBe('steadfold task add --session a TITLE')
})

test('what was not there then is looked for at the same point', () => {
  place.run('state', 'set', 'data.topic', 'auth', '--session', 'a')
  for (const line of ['state get', 'show', 'blame'])
    for (const asked of [
      ['--session', 'a', '--at', '1'],
      ['--session', 'a@1'],
    ])
      expect(told(place.run(...line.split(' '), 'data.topic', ...asked).err), line).toMatch(
        /^steadfold state get --session a( '\$\.data')? --at 1$/,
      )
})

test('a bundle that was only looked into is verified by the line that is told, and a place says who may read it', () => {
  const run = (...args: readonly string[]) => place.runWith({ env: { STEADFOLD_HOME: `${place.dir}/home` } }, ...args)
  run('key', 'create', 'desk')
  const secret = place.file('secret phrase', 'correct horse battery staple')
  run('bundle', 'pack', 'a', '--passphrase-file', secret, '--out', 'a b.steadfold')
  expect(run('bundle', 'inspect', 'a b.steadfold', '--passphrase-file', secret).out).toContain(
    `not verified: steadfold bundle verify 'a b.steadfold' --passphrase-file '${secret}'\n`,
  )
  expect(told(run('push', 'a').err)).toBe('steadfold remote add NAME URL --recipient WHO')
  const gone = `${place.dir}/not there`
  run('remote', 'add', 'place', gone, '--open')
  expect(told(run('push', 'a').err)).toBe(`is it mounted? if it is to begin there: mkdir '${gone}'`)
})

test('what only a person may do is told without the agent who was refused it', () => {
  place.file('gate.workflow.yaml', 'states: { a: {}, b: { approval: true } }')
  place.run('run', 'gate.workflow.yaml')
  const gated = (...words: readonly string[]) => told(place.run(...words, '--session', 'gate', '--as', 'agent:x').err)
  expect(gated('step', 'release', 'b:approval')).toBe('a person does: steadfold step release --session gate b:approval')
  place.run('workflow', 'fail', 'no quota', '--class', 'terminal', '--session', 'gate')
  expect(gated('workflow', 'retry')).toMatch(/a person runs: steadfold workflow retry --session gate --approve$/)
  expect(gated('workflow', 'retry', '--approve')).toBe(
    'a person does: steadfold workflow retry --session gate --approve',
  )
  place.run('session', 'configure', '--gated', 'lock.break', '--session', 'gate')
  expect(gated('consent', 'grant', 'lock.break', '--for', 'agent:x')).toBe(
    'a person does: steadfold consent grant --session gate lock.break --for agent:x',
  )
})
