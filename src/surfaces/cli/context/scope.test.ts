import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { overriding } from '../../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../../compose.ts'
import { EngineError } from '../../../kernel/error.ts'
import { chooseSession, quoted, workspaceDir } from './scope.ts'

describe('which workspace', () => {
  let dir: string
  beforeEach(() => {
    dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'scope-')))
    fs.mkdirSync(path.join(dir, 'a/.steadfold'), { recursive: true })
    fs.mkdirSync(path.join(dir, 'a/b/c'), { recursive: true })
  })
  afterEach(() => fs.rmSync(dir, { recursive: true, force: true }))

  test('the nearest upward, or the one that is named: by its folder or by itself', () => {
    const a = path.join(dir, 'a')
    expect(workspaceDir(undefined, path.join(a, 'b/c'))).toBe(a)
    expect(workspaceDir('a', dir)).toBe(a)
    expect(workspaceDir('a/.steadfold', dir)).toBe(a)
    expect(workspaceDir(a, '/')).toBe(a)
  })

  test('none is an error that says how to make one; a name is not looked for upward', () => {
    for (const task of [() => workspaceDir(undefined, '/'), () => workspaceDir('b', path.join(dir, 'a'))]) {
      expect(task).toThrow(
        expect.objectContaining({
          code: 'WORKSPACE_NOT_FOUND',
          hint: expect.stringMatching(/^steadfold init/) as unknown,
        }) as Error,
      )
    }
  })
})

test('a file is no place for a workspace, wherever it stands in the path', () => {
  const file = import.meta.filename
  for (const named of [file, path.join(file, 'deeper'), path.join(file, '.steadfold')]) {
    expect(() => workspaceDir(named, '/')).toThrow(expect.objectContaining({ code: 'WORKSPACE_NOT_FOUND' }) as Error)
  }
})

describe('which session', () => {
  const begin = async (...names: readonly string[]) => {
    const workspace = makeWorkspace(memoryKernel())
    for (const name of names) await workspace.createSession({ name })
    return workspace
  }
  const nameOf = async (chosen: ReturnType<typeof chooseSession>) => {
    const { session, at } = await chosen
    return [session.get('$.session.name'), at]
  }

  test('W1: the candidates stand in columns, also those with wide names', async () => {
    const error: unknown = await chooseSession(await begin('日本', 'abcde'), undefined, 'read').catch(
      (each: unknown) => each,
    )
    expect(String(error)).toMatch(/\n日本 {3}\S{36} {2}seq 1\nabcde {2}\S{36} {2}seq 1$/)
  })

  test('W1: the only active one; else the candidates are listed', async () => {
    const one = await begin('a')
    expect(await nameOf(chooseSession(one, undefined, 'write'))).toEqual(['a', undefined])
    await (await one.session('a')).run('session.terminate')
    await expect(chooseSession(one, undefined, 'remove')).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      message: expect.stringMatching(/^which session\? none is active\na /) as unknown,
    })
    const two = await begin('a', 'b')
    await expect(chooseSession(two, undefined, 'read')).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      details: { candidates: [{ name: 'a' }, { name: 'b' }] },
    })
    await (await two.session('b')).run('session.end', {})
    expect(await nameOf(chooseSession(two, undefined, 'write'))).toEqual(['a', undefined])
    await (await two.session('a')).run('session.suspend', {})
    expect(await nameOf(chooseSession(two, undefined, 'read'))).toEqual(['a', undefined])
    await expect(chooseSession(two, undefined, 'remove')).rejects.toMatchObject({ code: 'SESSION_AMBIGUOUS' })
    await expect(chooseSession(await begin(), undefined, 'read')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  /** A workspace with these sessions, some of which only another user may read. */
  const partlyShut = async (names: readonly string[], ...shut: readonly string[]) => {
    const kernel = memoryKernel()
    const workspace = makeWorkspace(kernel)
    const ids: string[] = []
    for (const name of names) {
      const { id } = await workspace.createSession({ name })
      if (shut.includes(name)) ids.push(id)
    }
    const peek: typeof kernel.log.peek = (id, after) => {
      if (ids.includes(id)) throw new EngineError('READ_ONLY', `cannot read ${id}`, { hint: 'check the owner' })
      return kernel.log.peek(id, after)
    }
    const warn = () => undefined
    return { ids, workspace: makeWorkspace({ ...kernel, warn, log: overriding(kernel.log, { peek }) }) }
  }

  test('W1: one that cannot be read may be the one that is meant', async () => {
    const { ids, workspace } = await partlyShut(['a', 'b', 'c'], 'b')
    await (await workspace.session('c')).run('session.end', {})
    for (const use of ['read', 'write', 'remove'] as const)
      await expect(chooseSession(workspace, undefined, use)).rejects.toMatchObject({
        code: 'SESSION_AMBIGUOUS',
        message: expect.stringMatching(
          new RegExp(`^which session\\? 1 is active, 1 cannot be read\na  .*\n${ids[0]}  cannot read ${ids[0]}$`),
        ) as unknown,
        details: { candidates: [{ name: 'a' }], unread: [{ id: ids[0], code: 'READ_ONLY' }] },
      })
    expect(await nameOf(chooseSession(workspace, 'a', 'write'))).toEqual(['a', undefined])
  })

  test('W1: where the others have ended, the one that cannot be read is the answer, with its next step', async () => {
    const { ids, workspace } = await partlyShut(['a', 'b'], 'b')
    await (await workspace.session('a')).run('session.end', {})
    for (const use of ['read', 'write', 'remove'] as const)
      await expect(chooseSession(workspace, undefined, use)).rejects.toMatchObject({
        code: 'READ_ONLY',
        message: `session ${ids[0]} may be meant: cannot read ${ids[0]}`,
        hint: 'check the owner, or name another: --session NAME',
      })
    const several = await partlyShut(['a', 'b'], 'a', 'b')
    await expect(chooseSession(several.workspace, undefined, 'read')).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      details: { candidates: [], unread: [{ id: several.ids[0] }, { id: several.ids[1] }] },
    })
  })

  test('W2: the beginning of an id will do, but not for what removes', async () => {
    const workspace = await begin('a')
    const { id } = await workspace.session('a')
    expect(await nameOf(chooseSession(workspace, id.slice(0, 12), 'write'))).toEqual(['a', undefined])
    await expect(chooseSession(workspace, id.slice(0, 12), 'remove')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    for (const named of [id, 'a'])
      expect(await nameOf(chooseSession(workspace, named, 'remove'))).toEqual(['a', undefined])
  })

  test('W2: what removes never falls back on a session that has ended', async () => {
    const workspace = await begin('a')
    await (await workspace.session('a')).run('session.end', {})
    expect(await nameOf(chooseSession(workspace, undefined, 'read'))).toEqual(['a', undefined])
    await expect(chooseSession(workspace, undefined, 'remove')).rejects.toMatchObject({ code: 'SESSION_AMBIGUOUS' })
  })

  test.each([
    ['a@17', '17'],
    ['a@', '@'],
    ['a@-3', '@-3'],
    ['a@draft-done', 'draft-done'],
    ['a@2026-11-21T20:00:00Z', '2026-11-21T20:00:00Z'],
  ])('W3: a read may name a point: %s', async (named, at) => {
    const workspace = await begin('a')
    expect(await nameOf(chooseSession(workspace, named, 'read'))).toEqual(['a', at])
    await expect(chooseSession(workspace, named, 'write')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('W3: a name that holds @ is that name first', async () => {
    expect(await nameOf(chooseSession(await begin('a@home', 'a'), 'a@home', 'read'))).toEqual(['a@home', undefined])
  })

  test('words are quoted as a shell takes them back', () => {
    expect([quoted('a-b'), quoted("it's"), quoted('')]).toEqual(['a-b', `'it'\\''s'`, "''"])
  })
})
