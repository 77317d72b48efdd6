/* The rights that docs/how-to/postgres.md gives, tried by users who must not do more. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { START } from '../../src/kernel/log/chain.ts'
import { chainOf, sha256, together } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'
import { workspaceOn } from './writers.ts'

const TABLES = ['sessions', 'commits', 'blobs', 'names', 'checkpoints', 'archived', 'parcels'] as const

describe.skipIf(!hasPostgres)('rights', () => {
  let server: Server
  const as = (user: string) => server.url.replace('owner', user)
  const open = (user: string, namespace: string, create = false) =>
    openPostgres({ url: `${as(user)}?namespace=${namespace}`, create, sha256, warn: () => undefined })
  const raw = (user: string) => postgres(as(user), { max: 1, onnotice: () => undefined })

  beforeAll(async () => {
    server = await startPostgres()
    const { log } = await open('owner', 'foreign', true)
    const workspace = workspaceOn(log)
    const session = await workspace.createSession({ name: 'theirs', id: 'theirs' })
    await log.blobs.put('theirs', Buffer.from('secret'))
    await log.checkpoints.put('theirs', [Buffer.from('{}')])
    const ended = await workspace.createSession({ name: 'ended', id: 'ended' })
    await ended.run('session.end', { outcome: 'completed' })
    await workspace.archive(ended)
    await session.close()
    await workspace.close()
    const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/how-to/postgres.md'), 'utf8')
    const sql = raw('owner')
    await sql.unsafe(/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    await sql.end()
  })
  afterAll(() => server.stop())

  test('a user of the team does all work of its namespace', async () => {
    const { log } = await open('ana', 'team')
    const workspace = workspaceOn(log)
    const session = await workspace.createSession({ name: 'ours' })
    expect(await session.run('state.set', { path: '$.data.a', value: 1 })).toMatchObject({ kind: 'accepted' })
    expect(await session.run('session.rename', { name: 'mine' })).toMatchObject({ kind: 'accepted' })
    await log.checkpoints.put(session.id, [Buffer.from('{}')])
    await log.checkpoints.delete(session.id)
    const hash = await log.blobs.put(session.id, Buffer.from('blob'))
    expect(await log.blobs.put(session.id, Buffer.from('blob'))).toBe(hash)
    expect((await workspace.session('mine')).id).toBe(session.id)
    await (await workspace.fork(session, 'other')).run('session.end', { outcome: 'completed' })
    await workspace.close()
  })

  test('a user of the team sees nothing of another namespace, and adds nothing there', async () => {
    const { log } = await open('ana', 'foreign')
    const workspace = workspaceOn(log)
    const listed: string[] = []
    for await (const id of log.list()) listed.push(id)
    expect(listed).toEqual([])
    expect(await log.exists('theirs')).toBe(false)
    await expect(workspace.session('theirs')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect((await workspace.archived()).session('ended')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(log.create('new')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', details: { code: '42501' } })
    await expect(log.append('theirs', together(...chainOf(1, START)), START)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    await expect(log.blobs.put('theirs', Buffer.from('x'))).rejects.toMatchObject({ details: { code: '42501' } })
    await expect(log.names.claim('x', 'x', 0)).rejects.toMatchObject({ details: { code: '42501' } })
    await workspace.close()
    const sql = raw('ana')
    for (const table of TABLES)
      expect(await sql`select from ${sql(`steadfold.${table}`)} where namespace <> 'team'`, table).toHaveLength(0)
    await expect(sql`insert into steadfold.commits values ('foreign', 'theirs', 99, 1, 0, '')`).rejects.toMatchObject({
      code: '42501',
    })
    expect(await sql`update steadfold.sessions set seq = 0 where namespace = 'foreign' returning seq`).toHaveLength(0)
    await sql.end()
  })

  test.each([
    'delete from steadfold.commits',
    "update steadfold.commits set line = ''",
    'delete from steadfold.sessions',
    'delete from steadfold.blobs',
    "update steadfold.blobs set bytes = ''",
    'truncate steadfold.commits',
    'delete from steadfold.archived',
    'insert into steadfold.migrations values (9)',
    'create table steadfold.mine ()',
    'drop table steadfold.names',
    'alter table steadfold.commits disable row level security',
    'set role steadfold_foreign',
    'set role owner',
  ])('a user of the team may not: %s', async (statement) => {
    const sql = raw('ana')
    await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|22023)$/) })
    await sql.end()
  })

  test('only a keeper archives, and only in its namespace', async () => {
    const ended = async (user: string, name: string) => {
      const workspace = workspaceOn((await open(user, 'team')).log)
      const session = await workspace.createSession({ name })
      await session.run('session.end', { outcome: 'completed' })
      return { workspace, session }
    }
    const ana = await ended('ana', 'by ana')
    await expect(ana.workspace.archive(ana.session)).rejects.toMatchObject({ details: { code: '42501' } })
    expect(await ana.workspace.kernel.log.exists(ana.session.id)).toBe(true)
    const ben = await ended('ben', 'by ben')
    expect(await ben.workspace.archive(ben.session)).toContain(ben.session.id)
    expect((await (await ana.workspace.archived()).session('by ben')).id).toBe(ben.session.id)
    expect((await ben.workspace.unarchive('by ben')).id).toBe(ben.session.id)
    const sql = raw('ben')
    for (const table of TABLES.filter((each) => each !== 'names' && each !== 'checkpoints'))
      expect(await sql`delete from ${sql(`steadfold.${table}`)} where namespace = 'foreign' returning 1`).toHaveLength(
        0,
      )
    await sql.end()
    await Promise.all([ana.workspace.close(), ben.workspace.close()])
  })
})
