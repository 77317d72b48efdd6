/* Which session an agent is in that names none, where several are active (K6 of commands/hook.ts, T1 of the spool). */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const SCRIPT = path.join(path.dirname(PROGRAM), 'hook.sh')

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'one')
})
afterEach(() => place.remove())

const event = (agent: string, name: string, more: object = {}) =>
  JSON.stringify({ session_id: agent, hook_event_name: name, cwd: place.dir, ...more })

/** As the plugin has it: what wants an answer through Node, the rest through the script. */
const begins = (agent: string) => place.runWith({ input: event(agent, 'SessionStart') }, 'hook', 'claude')
const gated = (agent: string) =>
  place.runWith({ input: event(agent, 'PreToolUse', { tool_name: 'Bash' }) }, 'hook', 'claude', '--gate')
const works = (agent: string) =>
  spawnSync('sh', [SCRIPT, 'claude'], {
    cwd: place.dir,
    env: plainEnv(),
    input: event(agent, 'PostToolUse', { tool_name: 'Bash' }),
  })

const kinds = (session: string, agent: string) =>
  place
    .data<{ value: readonly { run: string; kind: string }[] }>('activity', 'recent', '--session', session)
    .value.flatMap(({ run, kind }) => (run === agent ? [kind] : []))
const waiting = () => {
  const folder = path.join(place.dir, '.steadfold/spool')
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.fact')) : []
}

test('K6 an agent stays in the session in which it began, when another begins beside it', () => {
  expect(begins('a-1').out).toContain('session \\"one\\"')
  place.data('session', 'create', 'two')
  works('a-1')
  expect(gated('a-1').status).toBe(0)
  expect(begins('a-1').out).toContain('session \\"one\\"')
  expect(kinds('one', 'a-1')).toEqual(['started', 'tool-finished', 'tool-started', 'started'])
  expect(kinds('two', 'a-1')).toEqual([])
  expect(waiting()).toEqual([])
})

test('K6 of one that began where several were active everything waits, and is taken in when one of them is left', () => {
  place.data('session', 'create', 'two')
  expect(begins('a-2').out).toContain('one, two')
  expect(gated('a-2').status).toBe(0)
  works('a-2')
  place.run('status')
  expect(waiting()).toHaveLength(3)
  place.data('session', 'end', '--session', 'two')
  expect(kinds('one', 'a-2')).toEqual(['started', 'tool-started', 'tool-finished'])
  expect(waiting()).toEqual([])
})

test('K6 one that was started with a name which no session has is told so, and of nothing that would not help', () => {
  const { out } = place.runWith(
    { input: event('a-2', 'SessionStart'), env: { STEADFOLD_SESSION: 'noe' } },
    'hook',
    'claude',
  )
  expect(out).toContain('1 session is active: one. Name yours')
  expect(out).toContain('no session \\"noe\\" in this workspace')
  expect(out).not.toContain('adopt')
})

test('K6 where it is said in which session it is, all of it goes there: until then it needs somebody', () => {
  place.data('session', 'create', 'two')
  expect(begins('a-2').out).toContain('steadfold activity adopt claude a-2 --session NAME')
  works('a-2')
  const inbox = () => place.data<readonly Readonly<Record<string, unknown>>[]>('inbox')
  const next = 'steadfold activity adopt claude a-2 --session NAME'
  expect(inbox()).toMatchObject([{ kind: 'ASK', session: '', what: 'claude a-2', next }])
  expect(place.run('watch', '--once').out).toContain(next)
  expect(place.run('activity', 'adopt', 'claude', 'a-2')).toMatchObject({ status: 4 })
  expect(place.run('activity', 'adopt', 'claude', 'a-9', '--session', 'two')).toMatchObject({ status: 3 })
  place.data('session', 'end', '--session', 'two')
  place.data('session', 'create', 'three')
  begins('a-3')
  // What an ended session refuses would be put aside.
  expect(place.run('activity', 'adopt', 'claude', 'a-3', '--session', 'two')).toMatchObject({ status: 4 })
  expect(waiting()).toHaveLength(1)
  const { told } = place.data<{ readonly told: number }>('activity', 'adopt', 'claude', 'a-3', '--session', 'three')
  works('a-3')
  expect([told, kinds('three', 'a-3'), kinds('one', 'a-3')]).toEqual([1, ['started', 'tool-finished'], []])
  expect([inbox(), waiting()]).toEqual([[], []])
})

test('K6 while its session is suspended, what an agent tells waits for it, though another alone is active', () => {
  begins('a-3')
  place.data('session', 'create', 'two')
  place.data('session', 'suspend', '--session', 'one')
  works('a-3')
  expect(gated('a-3')).toMatchObject({ status: 2, err: expect.stringContaining('session one is suspended') })
  expect(kinds('two', 'a-3')).toEqual([])
  expect(waiting()).toHaveLength(1)
  place.data('session', 'resume', '--session', 'one')
  expect(kinds('one', 'a-3')).toEqual(['started', 'tool-finished'])
})

test('K6 the status line is of the session in which its agent began', async () => {
  begins('a-4')
  place.data('session', 'create', 'two')
  const line = (input: string) => place.runWith({ input }, 'statusline')
  expect(line(JSON.stringify({ session_id: 'a-4' })).out).toMatch(/^one · seq \d+\n$/)
  expect(line(JSON.stringify({ session_id: 'a-5' }))).toEqual({ status: 0, out: '', err: '' })
  // Nobody says anything, and nobody hangs up.
  const [status] = (await once(place.start('statusline'), 'exit')) as readonly unknown[]
  expect(status).toBe(0)
})
