/* Agents that work side by side have a worktree of git each, and share the workspace of the main checkout. */
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { shells } from '../shell/shells.ts'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const LIBRARY = path.join(PROGRAM, '../steadfold.sh')
const HOOK = path.join(PROGRAM, '../hook.sh')

let place: Place
beforeEach(() => {
  place = new Place({ init: false })
  git('.', 'init', '-q', 'main')
  git('main', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
  git('main', 'worktree', 'add', '-q', '../side')
})
afterEach(() => place.remove())

const at = (...names: readonly string[]) => path.join(place.dir, ...names)
const git = (dir: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', at(dir), ...args], { env: plainEnv(), stdio: 'pipe' })
const run = (cwd: string, ...args: readonly string[]) => place.runWith({ cwd: at(cwd) }, ...args)
function begin(dir: string): void {
  fs.mkdirSync(at(dir), { recursive: true })
  for (const args of [['init'], ['session', 'create', 'one']]) expect(run(dir, ...args).status).toBe(0)
}
const edits = (file: string, cwd: string) => {
  const event = { session_id: 's-1', hook_event_name: 'PreToolUse', tool_name: 'Edit', cwd: at(cwd) }
  const input = JSON.stringify({ ...event, tool_input: { file_path: at(file) } })
  return place.runWith({ input, cwd: at(cwd), env: { CLAUDE_PROJECT_DIR: at(cwd) } }, 'hook', 'claude', '--gate').status
}

test('a worktree is in the workspace of the main checkout, deep in it as well', () => {
  begin('main')
  fs.mkdirSync(at('side/deep'))
  expect(run('side/deep', 'state', 'set', 'data.a', '1').status).toBe(0)
  expect(run('main', 'state', 'get', 'data.a').out).toBe('1\n')
})

test('a workspace below the main checkout is met at the same place of the worktree', () => {
  begin('main/packages/app')
  for (const name of ['side/packages/app/src', 'side/packages/other']) fs.mkdirSync(at(name), { recursive: true })
  expect(run('side/packages/app/src', 'status').status).toBe(0)
  expect(run('side/packages/other', 'status').status).toBe(3)
})

test('one of its own comes first', () => {
  begin('main')
  begin('side')
  run('side', 'state', 'set', 'data.a', '1')
  expect(run('main', 'state', 'get', 'data.a').status).toBe(3)
})

test('where there is none either, the error says where it was looked for', () => {
  expect(run('side', 'status')).toMatchObject({
    status: 3,
    err: expect.stringContaining(`nor in the main checkout of this worktree, ${at('main')}`),
  })
})

test('a file that speaks of a repository which does not know it leads nowhere', () => {
  begin('main')
  fs.mkdirSync(at('planted'))
  fs.copyFileSync(at('side/.git'), at('planted/.git'))
  expect(run('planted', 'status').status).toBe(3)
  fs.rmSync(at('main/.git/worktrees'), { recursive: true })
  expect(run('side', 'status').status).toBe(3)
})

test('paths in the files of git may be relative', () => {
  begin('main')
  fs.writeFileSync(at('side/.git'), 'gitdir: ../main/.git/worktrees/side\n')
  fs.writeFileSync(at('main/.git/worktrees/side/gitdir'), '../../../../side/.git\n')
  expect(run('side', 'status').status).toBe(0)
})

test('a lock of a path of the project holds in every checkout; of a whole path, of that file', () => {
  begin('main')
  run('main', 'lock', 'acquire', 'a.ts', '--as', 'agent:lead')
  run('main', 'lock', 'acquire', at('main/b.ts'), '--as', 'agent:lead')
  const into = (file: string) => ['main', 'side'].map((dir) => edits(`${dir}/${file}`, dir))
  expect(['a.ts', 'b.ts', 'c.ts'].map(into)).toEqual([
    [2, 2],
    [2, 0],
    [0, 0],
  ])
})

test('what is installed for a project is put where the agents of that checkout look', async () => {
  begin('main')
  const env = { HOME: at('home') }
  for (const agent of ['claude', 'opencode'])
    expect(place.runWith({ cwd: at('side'), env }, 'install', agent).status).toBe(0)
  expect(fs.existsSync(at('side/.claude/settings.local.json'))).toBe(true)
  expect(fs.existsSync(at('main/.claude'))).toBe(false)
  // What its plugin loads there.
  const { opencodeHooks } = (await import(path.join(PROGRAM, '../opencode.js'))) as {
    opencodeHooks: (dir: string, how: object) => { config: (config: { mcp?: object }) => Promise<void> }
  }
  const offered = async (dir: string) => {
    const config: { mcp?: object } = {}
    await opencodeHooks(at(dir), { gate: false }).config(config)
    return Object.keys(config.mcp ?? {})
  }
  expect([await offered('side'), await offered('.')]).toEqual([['steadfold'], []])
})

describe('without a start of Node', () => {
  test('events of an agent in a worktree are kept', () => {
    begin('main')
    const env = plainEnv({ CLAUDE_PROJECT_DIR: at('side') })
    const input = JSON.stringify({ session_id: 's-1', hook_event_name: 'Stop' })
    expect(spawnSync('sh', [HOOK, 'claude'], { cwd: at('side'), env, input }).status).toBe(0)
    expect(fs.readdirSync(at('main/.steadfold/spool')).some((name) => name.startsWith('hook-'))).toBe(true)
    fs.mkdirSync(at('planted'))
    fs.copyFileSync(at('side/.git'), at('planted/.git'))
    spawnSync('sh', [HOOK, 'claude'], { cwd: at('planted'), env: plainEnv(), input })
    expect(fs.readdirSync(at('main/.steadfold/spool')).filter((name) => name.startsWith('hook-'))).toHaveLength(1)
  })

  test.each(shells)('the library finds it in $name', ({ argv }) => {
    begin('main')
    fs.mkdirSync(at('side/deep'))
    const [program, ...words] = argv
    const script = `set -eu; . '${LIBRARY}'; steadfold_set topic auth`
    const done = spawnSync(program, [...words, '-c', script], {
      cwd: at('side/deep'),
      env: plainEnv(),
      encoding: 'utf8',
    })
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(run('main', 'output', 'get', 'topic').out).toBe('auth\n')
  })
})
