import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, openWorkspace } from '../../compose.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Log } from '../../kernel/ports.ts'
import type { Session } from '../../kernel/session.ts'
import type { Workspace } from '../../kernel/workspace.ts'
import { takeIn } from './intake.ts'
import { Spool } from './spool.ts'

let dir = ''
let workspace: Workspace
let session: Session
let spool: Spool

beforeEach(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'intake-'))
  workspace = await openWorkspace({ dir })
  session = await workspace.createSession({ name: 'one' })
  const root = path.join(dir, '.steadfold')
  fs.mkdirSync(path.join(root, 'spool'), { recursive: true, mode: 0o700 })
  spool = new Spool({ root, now: Date.now })
})
afterEach(async () => {
  await workspace.close()
  fs.rmSync(dir, { recursive: true, force: true })
})

function handIn(name: string, value: string, more: Readonly<Record<string, string>> = {}): void {
  const head = { session: '', actor: 'tool:shell', op: 'state.set', name: '', ...more }
  const words = Object.entries(head).map(([word, text]) => `${word}: ${text}\n`)
  fs.writeFileSync(path.join(spool.folder, `${name}.fact`), `steadfold-fact 1\n${words.join('')}\n${value}\n#end\n`)
}
const setting = (value: unknown) => JSON.stringify({ path: '$.data.k', value })
const waiting = () => spool.list().map(({ id }) => `${id}.fact`)

async function history(of: Session): Promise<readonly unknown[]> {
  await of.refresh()
  const seen: unknown[] = []
  for await (const commit of of.commits()) if (commit.op === 'state.set') seen.push(commit.key)
  return seen
}

describe('intake', () => {
  test('T1: facts without a session go to the only active one, in order, with their keys', async () => {
    for (let i = 0; i < 50; i++) handIn(`10-7-${100 + i}`, setting(i))
    expect(await takeIn(workspace, spool)).toEqual({ taken: 50, rejected: [] })
    expect(await history(session)).toEqual(Array.from({ length: 50 }, (_, i) => `spool:10-7-${100 + i}`))
    expect(session.get('$.data.k')).toBe(49)
    expect(waiting()).toEqual([])
  })

  test('T4: a fact for a session that took another name meanwhile goes to it, and to whoever has that name now', async () => {
    await workspace.createSession({ name: 'two' })
    await session.run('session.rename', { name: 'uno' })
    handIn('10-1', setting('old name'), { session: 'one' })
    expect(await takeIn(workspace, spool)).toEqual({ taken: 1, rejected: [] })
    expect(await history(session)).toEqual(['spool:10-1'])
    const other = await workspace.createSession({ name: 'one' })
    handIn('10-2', setting('new owner'), { session: 'one' })
    expect(await takeIn(workspace, spool)).toEqual({ taken: 1, rejected: [] })
    expect(await history(other)).toEqual(['spool:10-2'])
  })

  test('T1: with two active sessions such a fact waits, and one that names its session is taken', async () => {
    const two = await workspace.createSession({ name: 'two' })
    handIn('10-1', setting('?'))
    handIn('10-2', setting('by name'), { session: 'two' })
    handIn('10-3', setting('by id'), { session: session.id })
    expect(await takeIn(workspace, spool)).toEqual({ taken: 2, rejected: [] })
    await Promise.all([session.refresh(), two.refresh()])
    expect([session.get('$.data.k'), two.get('$.data.k')]).toEqual(['by id', 'by name'])
    expect(waiting()).toEqual(['10-1.fact'])
    await session.run('session.end', {})
    expect((await takeIn(workspace, spool)).taken).toBe(1)
    await two.refresh()
    expect(two.get('$.data.k')).toBe('?')
  })

  test('T1: with two active sessions, what an agent tells goes where it began, and waits where that is not known', async () => {
    const two = await workspace.createSession({ name: 'two' })
    const told = (id: string) => JSON.stringify({ session_id: id, hook_event_name: 'Stop' })
    await two.run('activity.record', { agent: 'claude', payload: told('known') })
    const hook = { op: 'activity.record', actor: 'tool:hook', name: 'claude' }
    handIn('10-1', told('known'), hook)
    handIn('10-2', told('unknown'), hook)
    handIn('10-3', told('known'), { ...hook, name: 'gemini' })
    handIn('10-4', setting('known'))
    expect(await takeIn(workspace, spool)).toEqual({ taken: 1, rejected: [] })
    await two.refresh()
    expect(two.get('$.activity.recent')).toHaveLength(2)
    expect(waiting()).toEqual(['10-2.fact', '10-3.fact', '10-4.fact'])
  })

  test('T1: what a run tells that is adopted goes to that session, and that of others waits', async () => {
    const two = await workspace.createSession({ name: 'two' })
    const told = (id: string) => JSON.stringify({ session_id: id, hook_event_name: 'Stop' })
    const hook = { op: 'activity.record', actor: 'tool:hook', name: 'claude' }
    for (const [name, id] of Object.entries({ '10-1': 'mine', '10-2': 'other', '10-3': 'mine' }))
      handIn(name, told(id), hook)
    handIn('10-4', told('mine'), { ...hook, name: 'gemini' })
    const adopted = { agent: 'claude', run: 'mine', session: two.id }
    expect(await takeIn(workspace, spool, adopted)).toEqual({ taken: 2, rejected: [] })
    await two.refresh()
    expect(two.get('$.activity.recent')).toMatchObject([{ run: 'mine' }, { run: 'mine' }])
    expect(waiting()).toEqual(['10-2.fact', '10-4.fact'])
    handIn('10-5', told('mine'), hook)
    expect((await takeIn(workspace, spool)).taken).toBe(1)
  })

  test('T1: one that departed is not active: such a fact waits, and goes to the one that is', async () => {
    await session.run('session.depart', { from: { place: 'p', device: 'laptop' } })
    handIn('10-1', setting('a'))
    expect(await takeIn(workspace, spool)).toEqual({ taken: 0, rejected: [] })
    const two = await workspace.createSession({ name: 'two' })
    expect(await takeIn(workspace, spool)).toEqual({ taken: 1, rejected: [] })
    await two.refresh()
    expect(two.get('$.data.k')).toBe('a')
  })

  test('T1: where a session cannot be read such a fact waits: it may be meant for that one', async () => {
    const two = await workspace.createSession({ name: 'two' })
    handIn('10-1', setting('?'))
    const peek: Log['peek'] = (id, after) => {
      if (id === two.id) throw new EngineError('READ_ONLY', 'cannot read it')
      return workspace.kernel.log.peek(id, after)
    }
    const { kernel } = workspace
    const partly = makeWorkspace({ ...kernel, warn: () => undefined, log: overriding(kernel.log, { peek }) })
    expect(await takeIn(partly, spool)).toEqual({ taken: 0, rejected: [] })
    await session.refresh()
    expect(session.get('$.data.k')).toBeUndefined()
    expect(waiting()).toEqual(['10-1.fact'])
  })

  test('T1: one that is damaged is as active as it was: such a fact waits, beside another or alone', async () => {
    const two = await workspace.createSession({ name: 'two' })
    for (const value of [1, 2]) await two.run('state.set', { path: '$.data.k', value })
    const file = path.join(dir, '.steadfold/sessions', two.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":1', '"value":7'))
    handIn('10-1', setting('?'))
    const later = await openWorkspace({ dir })
    await session.run('session.end', {})
    expect(await takeIn(later, spool)).toEqual({ taken: 0, rejected: [] })
    expect(waiting()).toEqual(['10-1.fact'])
    await later.close()
  })

  test('L7: a crash between commit and delete adds nothing the next time', async () => {
    handIn('10-1', setting('a'))
    const file = path.join(spool.folder, '10-1.fact')
    const copy = fs.readFileSync(file)
    await takeIn(workspace, spool)
    await session.run('state.set', { path: '$.data.k', value: 'later' })
    fs.writeFileSync(file, copy)
    expect(await takeIn(workspace, spool)).toEqual({ taken: 1, rejected: [] })
    await session.refresh()
    expect(session.get('$.data.k')).toBe('later')
    expect(waiting()).toEqual([])
  })

  test('L7: two processes that take the same facts at once commit each once', async () => {
    for (let i = 0; i < 40; i++) handIn(`10-7-${100 + i}`, setting(i))
    const other = await openWorkspace({ dir })
    const again = new Spool({ root: path.join(dir, '.steadfold'), now: Date.now })
    await Promise.all([takeIn(workspace, spool), takeIn(other, again)])
    await other.close()
    expect(await history(session)).toEqual(Array.from({ length: 40 }, (_, i) => `spool:10-7-${100 + i}`))
    expect(waiting()).toEqual([])
  })

  test('T2: a fact for a suspended session waits until it is resumed', async () => {
    await session.run('session.suspend')
    handIn('10-1', setting('a'), { session: 'one' })
    expect(await takeIn(workspace, spool)).toEqual({ taken: 0, rejected: [] })
    expect(waiting()).toEqual(['10-1.fact'])
    await session.run('session.resume')
    expect((await takeIn(workspace, spool)).taken).toBe(1)
  })

  test.each([
    ['an unknown session', setting(1), { session: 'nobody' }, 'SESSION_NOT_FOUND'],
    ['an unknown operation', '{}', { op: 'no.such' }, 'OPERATION_UNKNOWN'],
    ['an input that does not fit', '{"path":5}', {}, 'INPUT_INVALID'],
    ['no JSON', 'x', {}, 'SPOOL_FACT_INVALID'],
    ['a key that is never stored', '{"path":"$.data[\'__proto__\']","value":1}', {}, 'KEY_FORBIDDEN'],
  ])('T2: a fact with %s is put aside with the reason, and the others are taken', async (_, value, more, code) => {
    handIn('10-1', value, more)
    handIn('10-2', setting('good'))
    const { taken, rejected } = await takeIn(workspace, spool)
    expect({ taken, files: rejected.map(({ file }) => file) }).toEqual({ taken: 1, files: ['10-1.fact'] })
    expect(spool.rejected()[0]?.reason).toContain(code)
  })

  test('T2: a fact for a session that has ended is put aside', async () => {
    await session.run('session.end')
    handIn('10-1', setting('a'), { session: session.id })
    expect((await takeIn(workspace, spool)).rejected).toHaveLength(1)
  })

  test('T3: when the store fails the facts stay', async () => {
    handIn('10-1', setting('a'), { session: session.id })
    const log = path.join(dir, '.steadfold', 'sessions', session.id, 'log')
    fs.renameSync(log, `${log}-away`)
    fs.symlinkSync(`${log}-away`, log)
    const other = await openWorkspace({ dir })
    await expect(takeIn(other, spool)).rejects.toThrow()
    await other.close()
    expect(waiting()).toEqual(['10-1.fact'])
  })
})
