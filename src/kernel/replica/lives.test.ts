import { describe, expect, test, vi } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { repairSession } from '../care/repair.ts'
import { verifySession } from '../care/verify.ts'
import { blame } from '../history/blame.ts'
import type { Kernel } from '../kernel.ts'
import { copyLog } from '../log/copy.ts'
import { Session } from '../session.ts'
import type { Folder } from '../state/fold.ts'
import { makeCheckpoint } from './make-checkpoint.ts'

const set = (path: string, value: unknown) => ['state.set', { path, value }] as const

async function begin() {
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host: fixedHost() }
  const workspace = makeWorkspace(kernel)
  return { kernel, workspace, session: await workspace.createSession({ name: 'test' }) }
}

async function namesOf(sessions: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of sessions) ids.push(id)
  return ids
}

test('a commit that blame names is as the log holds it, whatever came later', async () => {
  const { kernel, session } = await begin()
  await session.run(...set('$.data.a', { x: 1, y: 1 }))
  await session.run(...set('$.data.a.x', 2))
  const change = await blame(kernel, session.id, '$.data.a.y', 3)
  expect(change?.commit.events).toEqual([{ type: 'data.set', data: { path: '$.data.a', value: { x: 1, y: 1 } } }])
})

test('K3 a checkpoint made while a log is verified is not ahead of it', async () => {
  const { kernel, session } = await begin()
  await session.run(...set('$.data.a', 1))
  let asked = 0
  const get = async (id: string) => {
    if (++asked === 2) {
      await session.run(...set('$.data.a', 2))
      await makeCheckpoint(kernel, id)
    }
    return kernel.log.checkpoints?.get(id)
  }
  const { checkpoints } = kernel.log
  if (checkpoints === undefined) throw new Error('no checkpoints')
  const log = overriding(kernel.log, { checkpoints: { ...checkpoints, get } })
  expect(await verifySession({ ...kernel, log }, session.id)).toMatchObject({ ok: true, seq: 2 })
})

test('a copy that a fork left unfinished is no session', async () => {
  const { kernel, workspace, session } = await begin()
  await kernel.log.create('half')
  await copyLog(kernel, session.id, 'half', 1)
  expect(await namesOf(workspace.sessions())).toEqual([session.id])
  expect((await workspace.session('test')).id).toBe(session.id)
})

test('a session that a repair has cut back to nothing is still listed', async () => {
  const { kernel, workspace } = await begin()
  await kernel.log.create('cut')
  const cut = await new Session(kernel, 'cut').open()
  await cut.run('session.repair', { seq: 0, reason: 'a test', aside: [] })
  expect(await namesOf(workspace.sessions())).toContain('cut')
})

test('a session that only a newer version can read does not hide the others', async () => {
  const { kernel, workspace, session } = await begin()
  const newer = await workspace.createSession({ name: 'newer' })
  await newer.run('session.mark', { name: 'm' })
  const warn = vi.fn<(message: string) => void>()
  const folder: Folder = (type) => (type === 'session.marked' ? undefined : kernel.folder(type))
  const older = makeWorkspace({ ...kernel, folder, warn })
  expect(await namesOf(older.sessions())).toEqual([session.id])
  expect(warn).toHaveBeenCalledWith(expect.stringContaining(newer.id))
  await older.createSession({ name: 'third' })
  await expect(older.session(newer.id)).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' })
})

test('to verify a session that only a newer version can read says so, and a repair takes nothing from it', async () => {
  const { kernel, session } = await begin()
  await session.run('session.mark', { name: 'm' })
  const older: Kernel = { ...kernel, folder: (type) => (type === 'session.marked' ? undefined : kernel.folder(type)) }
  const unknown = { ok: false, error: { code: 'VERSION_UNKNOWN', seq: session.seq } }
  expect(await verifySession(older, session.id, true)).toMatchObject(unknown)
  await expect(repairSession(older, session.id)).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' })
  expect(await verifySession(kernel, session.id, true)).toMatchObject({ ok: true })
})

describe('closing', () => {
  test('a closed session is forgotten by its workspace', async () => {
    const { kernel, workspace, session } = await begin()
    const released: string[] = []
    kernel.log.release = async (id) => void released.push(id)
    const second = await workspace.session('test')
    const close = vi.spyOn(session, 'close')
    await session.close()
    expect(released).toEqual([])
    await second.close()
    expect(released).toEqual([session.id])
    await workspace.close()
    expect(close).toHaveBeenCalledTimes(1)
  })

  test.each([true, false])('a reader reads nothing after its signal was aborted (live: %s)', async (live) => {
    const { session } = await begin()
    for (let n = 0; n < 5; n++) await session.run('state.set', { path: '$.data.n', value: n })
    const read = async (signal: AbortSignal, seen: (seq: number) => void) => {
      for await (const { seq } of session.commits({ live, signal })) seen(seq)
    }
    const none: number[] = []
    await read(AbortSignal.abort(), (seq) => none.push(seq))
    expect(none).toEqual([])
    const some: number[] = []
    const controller = new AbortController()
    await read(controller.signal, (seq) => {
      some.push(seq)
      if (seq === 3) controller.abort()
    })
    expect(some).toEqual([1, 2, 3])
  })

  test('a live reader ends when its session is closed', async () => {
    const { session } = await begin()
    const seqs: number[] = []
    setTimeout(() => void session.close(), 10)
    for await (const { seq } of session.commits({ live: true })) seqs.push(seq)
    expect(seqs).toEqual([1])
  })

  test('what was asked for before the close is done before it is closed, and nothing after it', async () => {
    const kernel = memoryKernel({ checkpoints: false })
    const { id } = await makeWorkspace(kernel).createSession({ name: 'test' })
    // In a kernel of its own no operation has been loaded.
    const session = await new Session({ ...memoryKernel({ checkpoints: false }), log: kernel.log }, id).open()
    const asked = [
      session.run('state.set', { path: '$.data.a', value: 1 }),
      session.run('session.mark', { name: 'm', at: '1' }),
      session.run('state.set', { path: '$.data.b', value: 2 }),
    ]
    await session.close()
    const { seq } = session
    expect(await Promise.all(asked)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'accepted' }])
    expect(seq).toBe(4)
    await expect(session.run('state.set', { path: '$.data.c', value: 3 })).rejects.toMatchObject({ code: 'CLOSED' })
    expect(session.seq).toBe(seq)
  })

  test('a workspace and its sessions are closed with the block that has them', async () => {
    const kept = await begin()
    {
      await using workspace = kept.workspace
      await using session = await workspace.createSession({ name: 'inner' })
      await session.run(...set('$.data.a', 1))
    }
    const closed = { code: 'CLOSED', hint: 'open it again' }
    await expect(kept.session.run(...set('$.data.b', 2))).rejects.toMatchObject(closed)
    await expect(kept.workspace.session('inner')).rejects.toMatchObject(closed)
    await Promise.all([kept.workspace.close(), kept.session.close()])
  })

  test('a closed workspace opens and makes nothing', async () => {
    const { workspace, session } = await begin()
    await workspace.close()
    const closed = { code: 'CLOSED' }
    await expect(workspace.createSession({ name: 'after' })).rejects.toMatchObject(closed)
    await expect(workspace.session(session.id)).rejects.toMatchObject(closed)
    await expect(workspace.fork(session, 'fork')).rejects.toMatchObject(closed)
    await expect(namesOf(workspace.sessions())).rejects.toMatchObject(closed)
    await expect(workspace.archived()).rejects.toMatchObject(closed)
  })
})

describe('one reading', () => {
  test('what is asked for by its point stays as it was, also when that is the last commit', async () => {
    const { session } = await begin()
    await session.run(...set('$.data.a', 1))
    const [data, state] = [await session.get('$.data', { at: 2 }), await session.stateAt(2)]
    await session.run(...set('$.data.a', 2))
    expect([data, state['data']]).toEqual([{ a: 1 }, { a: 1 }])
  })

  test('a getter is asked once: the log, the state and the answer hold the same', async () => {
    const { kernel, session } = await begin()
    let n = 0
    const value = Object.defineProperty({}, 't', { enumerable: true, get: () => n++ })
    const done = await session.run(...set('$.data.v', value))
    expect(session.get('$.data.v.t')).toBe(0)
    const again = await new Session(kernel, session.id).open()
    expect(again.get('$.data.v.t')).toBe(0)
    expect(done).toMatchObject({ events: [{ data: { value: { t: 0 } } }] })
  })

  test('what a getter says the second time gets past no rule', async () => {
    const { session } = await begin()
    let n = 0
    const value = Object.defineProperty({}, 'e', {
      enumerable: true,
      get: () => (n++ === 0 ? 1 : { constructor: 1, date: new Date() }),
    })
    await session.run(...set('$.data.e', value))
    expect(session.get('$.data.e')).toEqual({ e: 1 })
  })
})
