import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'

let place: Place
let home: string
beforeEach(() => {
  place = new Place()
  home = path.join(place.dir, 'home')
  fs.mkdirSync(home)
})
afterEach(() => place.remove())

const DAY_MS = 86_400_000
const run = (...args: readonly string[]) => {
  const none = { CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '', OPENCODE_DB: '' }
  return place.runWith({ env: { HOME: home, ...none, OPENCODE_DATA_DIR: '' } }, ...args)
}

function write(file: string, text: string | Buffer, ageDays = 0): string {
  const whole = path.join(home, file)
  fs.mkdirSync(path.dirname(whole), { recursive: true })
  fs.writeFileSync(whole, text)
  const then = new Date(Date.now() - ageDays * DAY_MS)
  fs.utimesSync(whole, then, then)
  return whole
}

const line = (value: object) => `${JSON.stringify(value)}\n`
const claude = (uuid: string, parentUuid: string | null) =>
  line({
    parentUuid,
    isSidechain: false,
    cwd: '/work/app',
    sessionId: 's',
    type: 'user',
    uuid,
    message: { role: 'user' },
  })
const PROJECT = '.claude/projects/-work-app'
const CODEX = '.codex/sessions/2026/11/22'
const A = '0199a213-81c0-7800-8aa1-bbab2a035a53'
const B = '0199a213-81c0-7800-8aa1-bbab2a035a54'
const codex = (id: string, more: object = {}) =>
  line({ timestamp: '2026-11-22T05:00:00Z', type: 'session_meta', payload: { id, cwd: '/work/app', ...more } })
const SESSIONS = '.local/share/opencode/storage/session/p1'

interface Check {
  readonly name: string
  readonly status: string
  readonly found: string
  readonly findings?: readonly { readonly kind: string; readonly session: string; readonly detail: string }[]
}

const checks = () => (JSON.parse(run('doctor', '--json').out) as { data: { checks: readonly Check[] } }).data.checks
const storeOf = (name: string) => checks().find((check) => check.name === `${name} store`)
const kinds = (name: string) => storeOf(name)?.findings?.map(({ kind, session }) => `${kind} ${session}`) ?? []

/** Every size, mode and time under the home folder. Asked with their types: without, the walk follows links, in a ring too. */
const everything = () =>
  fs
    .readdirSync(home, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => {
      const { mode, mtimeMs, ctimeMs, size } = fs.lstatSync(file)
      return { file, mode, mtimeMs, ctimeMs, size }
    })

/** They end with their input. */
async function ended(children: readonly ChildProcess[]): Promise<void> {
  const gone = children.map((child) => once(child, 'close'))
  for (const child of children) child.stdin?.end()
  await Promise.all(gone)
}

describe('doctor', () => {
  test('says nothing of stores that are not there', () => {
    expect(checks().filter(({ name }) => name.endsWith(' store'))).toEqual([])
  })

  test('finds sound stores sound', () => {
    write(`${PROJECT}/one.jsonl`, claude('a', null) + claude('b', 'a'))
    write(`${CODEX}/rollout-2026-11-22T05-00-00-${A}.jsonl`, codex(A))
    write(`${SESSIONS}/ses_1.json`, JSON.stringify({ id: 'ses_1' }))
    for (const name of ['claude', 'codex', 'opencode'])
      expect(storeOf(name), name).toMatchObject({ status: 'ok', found: '1 session' })
  })

  test('Claude Code: torn ends, parents that are missing, and sessions that are deleted soon', () => {
    write(`${PROJECT}/torn.jsonl`, claude('a', null) + claude('b', 'a').slice(0, 40))
    write(`${PROJECT}/cut-off.jsonl`, claude('b', 'gone'))
    write(`${PROJECT}/old.jsonl`, claude('a', null), 28)
    write(`${PROJECT}/young.jsonl`, claude('a', null), 20)
    expect(kinds('claude')).toEqual(['torn torn', 'parent cut-off', 'old old'])
    expect(storeOf('claude')).toMatchObject({
      status: 'warn',
      found: '4 sessions, 1 torn at the end, 1 cut off from a parent, 1 about to be deleted',
    })
    const settings = write('.claude/settings.json', '{"cleanupPeriodDays": 365}')
    expect(kinds('claude')).toEqual(['torn torn', 'parent cut-off'])
    fs.renameSync(settings, path.join(home, 'dotfiles.json'))
    fs.symlinkSync('../dotfiles.json', settings)
    expect(kinds('claude')).toEqual(['torn torn', 'parent cut-off'])
  })

  test('a file where the folder of a store belongs is no store', () => {
    for (const folder of ['.claude', '.codex', '.local']) write(folder, 'mine')
    expect(checks().filter(({ name }) => name.endsWith(' store'))).toEqual([])
  })

  test('D3 a session that two living processes hold is open twice; a dead one does not count', async () => {
    write(`${PROJECT}/one.jsonl`, claude('a', null))
    const held = (pid: number) => write(`.claude/sessions/${pid}.json`, JSON.stringify({ pid, sessionId: 'one' }))
    const living = [spawn('cat'), spawn('cat')]
    held(living[0]?.pid ?? 0)
    held(2 ** 22 - 1)
    expect(kinds('claude')).toEqual([])
    held(living[1]?.pid ?? 0)
    expect(kinds('claude')).toEqual(['twice one'])
    await ended(living)
  })

  test.runIf(fs.existsSync('/proc/self/cmdline'))('D3 a program and the one that it wraps are one', async () => {
    write(`${CODEX}/rollout-2026-11-22T05-00-00-${A}.jsonl`, codex(A))
    const native = write('native/codex', 'echo ready; read line')
    const wrapper = write('bin/codex', `sh '${native}' "$@"; exit`)
    const start = async () => {
      const child = spawn('sh', [wrapper, 'resume', A])
      await once(child.stdout, 'data')
      return child
    }
    const first = await start()
    expect(kinds('codex')).toEqual([])
    const second = await start()
    expect(kinds('codex')).toEqual([`twice ${A}`])
    await ended([first, second])
  })

  test('Codex and opencode: torn files, and parents that are missing', () => {
    write(`${CODEX}/rollout-2026-11-22T05-00-00-${A}.jsonl`, codex(A, { forked_from_id: 'gone' }))
    write(`${CODEX}/rollout-2026-11-22T05-00-01-${B}.jsonl`, `${codex(B, { forked_from_id: A })}{"type":"event_m`)
    write(`${SESSIONS}/ses_1.json`, JSON.stringify({ id: 'ses_1', parentID: 'ses_9' }))
    write(`${SESSIONS}/ses_2.json`, '{"id": "ses_2", "par')
    expect(kinds('codex').toSorted()).toEqual([`parent ${A}`, `torn ${B}`])
    expect(kinds('opencode').toSorted()).toEqual(['parent ses_1', 'torn ses_2'])
  })

  test.each([
    ['archived', `.codex/archived_sessions/rollout-2026-11-22T05-00-00-${B}.jsonl`],
    ['archived and compressed', `.codex/archived_sessions/rollout-2026-11-22T05-00-00-${B}.jsonl.zst`],
    ['compressed', `${CODEX}/rollout-2026-11-22T05-00-00-${B}.jsonl.zst`],
  ])('a parent that Codex has %s is there', (_, file) => {
    write(`${CODEX}/rollout-2026-11-22T05-00-01-${A}.jsonl`, codex(A, { forked_from_id: B }))
    expect(kinds('codex')).toEqual([`parent ${A}`])
    write(file, codex(B))
    expect(kinds('codex')).toEqual([])
  })

  test('D1 hostile stores change nothing and stop nothing: links, folders, NULs, depth, poison', () => {
    write('secret.jsonl', 'not JSON')
    fs.mkdirSync(path.join(home, PROJECT, 'folder.jsonl'), { recursive: true })
    fs.symlinkSync(path.join(home, 'secret.jsonl'), path.join(home, PROJECT, 'link.jsonl'))
    fs.symlinkSync(home, path.join(home, PROJECT, 'loop'))
    write(`${PROJECT}/nul.jsonl`, Buffer.alloc(100))
    write(`${PROJECT}/deep.jsonl`, '['.repeat(100_000))
    write(`${PROJECT}/poison.jsonl`, '{"__proto__":{"uuid":"x"},"parentUuid":{"a":1}}\nnull\n7\n')
    write(`${PROJECT}/empty.jsonl`, '')
    const before = everything()
    expect(kinds('claude').toSorted()).toEqual(['torn deep', 'torn nul'])
    expect(everything()).toEqual(before)
  })
})

describe('rescue', () => {
  const rescued = () => {
    const folder = path.join(home, '.local/state/steadfold/rescued')
    const all = fs.existsSync(folder) ? (fs.readdirSync(folder, { recursive: true }) as string[]) : []
    return all.filter((name) => name.includes('.json')).toSorted()
  }

  test('copies what is in danger, byte for byte, once, and again when it changed; the store stays', () => {
    const torn = write(`${PROJECT}/torn.jsonl`, '{"half', 1)
    write(`${PROJECT}/sound.jsonl`, claude('a', null))
    expect(run('rescue', '--dry-run').out).toContain('would copy 1 file')
    expect(rescued()).toEqual([])
    expect(run('rescue').status).toBe(0)
    expect(rescued()).toEqual(['claude/-work-app/torn.jsonl'])
    expect(run('rescue').out).toBe('nothing to copy\n')
    fs.appendFileSync(torn, ' more')
    run('rescue')
    expect(rescued()).toEqual(['claude/-work-app/torn.jsonl', 'claude/-work-app/torn.jsonl.1'])
    expect(fs.readFileSync(torn, 'utf8')).toBe('{"half more')
  })

  test('a file where the copies should go is named', () => {
    write(`${PROJECT}/torn.jsonl`, '{"half', 1)
    const { status, err } = run('rescue', '--to', write('mine', ''))
    expect(status).toBe(3)
    expect(err).toContain(`cannot copy to ${path.join(home, 'mine/claude')}`)
  })

  test('one that cannot be copied keeps no other from it, and is named', () => {
    write(`${PROJECT}/torn.jsonl`, '{"half', 1)
    write(`${SESSIONS}/ses_1.json`, '{}')
    const to = path.join(place.dir, 'blocked')
    fs.mkdirSync(to)
    fs.writeFileSync(path.join(to, 'claude'), '')
    const { status, out } = run('rescue', '--all', '--to', to)
    expect([status, out]).toEqual([10, expect.stringMatching(/copied 1 file .*\nnot copied: cannot copy .*ENOTDIR/)])
    expect(fs.existsSync(path.join(to, 'opencode/p1/ses_1.json'))).toBe(true)
  })

  test('copies every session with --all, to the folder that is named', () => {
    write(`${PROJECT}/sound.jsonl`, claude('a', null))
    write(`${SESSIONS}/ses_1.json`, '{}')
    const to = path.join(place.dir, 'backup')
    expect(run('rescue', '--all', '--to', to).out).toContain('copied 2 files')
    expect(fs.existsSync(path.join(to, 'opencode/p1/ses_1.json'))).toBe(true)
  })
})
