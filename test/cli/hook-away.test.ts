/* What an agent hears in a session that takes nothing, and where it works in another folder than its project's. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const HOOK = path.join(PROGRAM, '../hook.sh')

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'one')
})
afterEach(() => place.remove())

const primed = () => place.run('prime', '--session', 'one').out
const gated = (...args: readonly string[]) => {
  const input = JSON.stringify({ session_id: 's-1', hook_event_name: 'PreToolUse', tool_name: 'Bash' })
  return place.runWith({ input }, 'hook', 'claude', '--gate', ...args)
}

function depart(): void {
  const env = { STEADFOLD_HOME: place.dir }
  expect(place.runWith({ env }, 'key', 'create', 'me').status).toBe(0)
  expect(place.runWith({ env }, 'teleport', 'send', 'one', '--recipient', 'me').status).toBe(0)
}

test('one that has departed offers no commands that would be refused, and blocks the tools of who is in it', () => {
  expect(primed()).toContain('Write: steadfold output set')
  expect(gated('--session', 'one').status).toBe(0)
  depart()
  expect(primed()).toMatch(
    /^Write: nothing is taken now: session one has departed for me; .*steadfold teleport cancel one$/m,
  )
  expect(gated('--session', 'one')).toMatchObject({
    status: 2,
    err: expect.stringContaining('session one has departed'),
  })
  // Who is in none works on.
  expect(gated()).toEqual({ status: 0, out: '', err: '' })
})

test('one that is suspended, or has ended, says so', () => {
  place.data('session', 'suspend', 'one')
  expect(primed()).toMatch(/^Write: nothing is taken now: session one is suspended; steadfold session resume one$/m)
  place.data('session', 'end', 'one')
  expect(primed()).toMatch(
    /^Write: nothing is taken now: session one has ended \(.*\); steadfold session fork one NEW-NAME/m,
  )
})

test('K4 an agent that works in another workspace is in that of its project: told, gated and recorded', () => {
  const other = new Place()
  try {
    other.data('session', 'create', 'two', '--goal', 'of another')
    place.data('lock', 'acquire', 'a.ts', '--as', 'agent:lead')
    const hook = (name: string, variable: string, ...args: readonly string[]) => {
      const tool_input = { file_path: path.join(place.dir, 'a.ts') }
      const told = { session_id: 's-1', hook_event_name: name, cwd: other.dir, tool_name: 'Write', tool_input }
      const how = { input: JSON.stringify(told), cwd: other.dir, env: { [variable]: place.dir } }
      return place.runWith(how, ...args)
    }
    expect(hook('PreToolUse', 'CLAUDE_PROJECT_DIR', 'hook', 'claude', '--gate').status).toBe(2)
    expect(hook('BeforeTool', 'GEMINI_PROJECT_DIR', 'hook', 'gemini', '--gate')).toMatchObject({
      err: expect.stringContaining('locked by agent:lead'),
    })
    expect(hook('SessionStart', 'CLAUDE_PROJECT_DIR', 'hook', 'claude').out).toContain('session \\"one\\"')
    expect(hook('Status', 'CLAUDE_PROJECT_DIR', 'statusline').out).toMatch(/^one /)
    // --dir says it still.
    expect(hook('Stop', 'CLAUDE_PROJECT_DIR', 'hook', 'claude', '--dir', other.dir).status).toBe(0)
    expect(other.data<{ value: readonly unknown[] }>('activity', 'recent').value).toHaveLength(1)
  } finally {
    other.remove()
  }
})

test('the hook of the shell keeps what happens where a link leads into the workspace, as a command finds it', () => {
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-link-'))
  const link = path.join(elsewhere, 'in')
  fs.mkdirSync(path.join(place.dir, 'deep'))
  fs.symlinkSync(path.join(place.dir, 'deep'), link)
  const hook = (env: Readonly<Record<string, string>>) =>
    spawnSync('sh', ['-c', `cd ${link} && exec sh ${HOOK} codex`], {
      input: JSON.stringify({ session_id: 's-1', hook_event_name: 'Stop' }),
      env: plainEnv(env),
    }).status
  expect([hook({}), hook({ STEADFOLD_DIR: path.join(place.dir, '.steadfold/') })]).toEqual([0, 0])
  fs.rmSync(elsewhere, { recursive: true })
  expect(place.data<{ value: readonly unknown[] }>('activity', 'recent').value).toHaveLength(2)
})

test('an agent that was started under the name that its session had is still in it', () => {
  const hook = (name: string, ...args: readonly string[]) => {
    const input = JSON.stringify({ session_id: 's-1', hook_event_name: name, tool_name: 'Bash' })
    return place.runWith({ input, env: { STEADFOLD_SESSION: 'one' } }, 'hook', 'claude', ...args)
  }
  place.data('session', 'create', 'other')
  place.data('session', 'rename', 'uno', '--session', 'one')
  const began = hook('SessionStart').out
  expect(began).toContain('in session \\"uno\\"')
  expect(began).toContain('Read: steadfold status --session uno; steadfold state get --session uno PATH;')
  expect(hook('PreToolUse', '--gate').status).toBe(0)
  place.data('session', 'suspend', '--session', 'uno')
  expect(hook('PreToolUse', '--gate')).toMatchObject({ status: 2, err: expect.stringContaining('uno') })
  expect(place.data('state', 'get', '$.activity.runs', '--session', 'uno')).toMatchObject({
    value: { 'claude:s-1': {} },
  })
})
