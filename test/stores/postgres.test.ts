import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STEPS } from '../../src/drivers/postgres/migrations.ts'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { START } from '../../src/kernel/chain.ts'
import { chainOf, sha256, together } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'

const RELEASED = ['9afb65db7c691e28e1ea35ac7c272258a788f5fd4dd14e7e89e78da5260f5ca9']

const open = (url: string, create = true) => openPostgres({ url, create, sha256, warn: () => undefined })
function gate() {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open: () => open() }
}

test('M1 a step of the tables that was released is what it was', () => {
  const hashes = STEPS.map((step) => createHash('sha256').update(step).digest('hex'))
  expect(hashes).toEqual(RELEASED)
})

test.each([
  ['postgres://x@127.0.0.1:1/x?namespace=A B', 'INPUT_INVALID'],
  ['postgres://x@127.0.0.1:1/x?sslmode=maybe', 'INPUT_INVALID'],
  ['postgres://x@127.0.0.1:1/x?max=none', 'INPUT_INVALID'],
  ['postgres://x@127.0.0.1:1/x?sslrootcert=/nowhere.pem', 'FILE_NOT_FOUND'],
  ['postgres://x@127.0.0.1:1/x', 'STORE_UNAVAILABLE'],
])('an address that cannot be used is told: %s', async (url, code) => {
  await expect(open(url)).rejects.toMatchObject({ code })
})

describe.skipIf(!hasPostgres)('on a server', () => {
  let server: Server
  let sql: postgres.Sql
  beforeAll(async () => {
    server = await startPostgres()
    sql = postgres(server.url, { onnotice: () => undefined })
  })
  afterAll(async () => {
    await sql.end()
    await server.stop()
  })

  test('M1 tables are made only when asked for, by many at once, and never by an older program', async () => {
    await expect(open(server.url, false)).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' })
    const opened = await Promise.all([1, 2, 3].map(() => open(server.url)))
    expect(new Set(opened.map(({ place }) => place)).size).toBe(1)
    await Promise.all(opened.map(({ log }) => log.close()))
    await sql`insert into steadfold.migrations (step, hash) values (99, 'later')`
    await expect(open(server.url)).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' })
    await sql`delete from steadfold.migrations where step = 99`
  })

  test('of several hosts the one that takes writes is used', async () => {
    const { log } = await open(server.url.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1'))
    await log.create('hosts')
    expect(await log.exists('hosts')).toBe(true)
    await log.close()
  })

  test('R2 while a transaction is open, later ones commit, and a reader skips nothing', async () => {
    const { log } = await open(`${server.url}?namespace=held`)
    for (const session of ['held', 'other']) await log.create(session)
    const [first] = chainOf(1, START)
    if (first === undefined) throw new Error('there is one')
    const later = gate()
    const held = gate()
    const old = sql.begin(async (run) => {
      const line = Buffer.from(first.line)
      await run`update steadfold.sessions set seq = 1, hash = ${first.hash}, ends = ${line.length}
        where namespace = 'held' and session = 'held'`
      await run`insert into steadfold.commits values ('held', 'held', 1, 1, 0, ${line})`
      held.open()
      await later.passed
    })
    await held.passed
    const behind = log.append('held', together(...chainOf(1, START, 'late')), START)
    let position = START
    for (let i = 0; i < 200; i++) {
      const answer = await log.append('other', together(...chainOf(1, position)), position)
      if (answer.kind === 'appended') position = answer.position
    }
    expect(position.seq).toBe(200)
    expect(await log.peek('held', START)).toHaveLength(0)
    later.open()
    await old
    expect(await behind).toEqual({ kind: 'conflict' })
    expect(String(await log.peek('held', START))).toBe(first.line)
    await log.close()
  })

  test('R1 the end tells of rows that were taken away', async () => {
    const { log } = await open(`${server.url}?namespace=torn`)
    await log.create('s')
    await log.append('s', together(...chainOf(3, START)), START)
    await sql`delete from steadfold.commits where namespace = 'torn' and seq = 3`
    const read = async () => {
      for await (const _ of log.read('s', START)) continue
    }
    await expect(read()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    await log.close()
  })

  test('a user with the rights of the page works in its namespace, and in no other', async () => {
    const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/how-to/postgres.md'), 'utf8')
    const owner = await open(`${server.url}?namespace=foreign`)
    await owner.log.create('theirs')
    await sql.unsafe(/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    const mine = await open(`${server.url.replace('owner', 'ana')}?namespace=team`, false)
    await mine.log.create('s')
    expect(await mine.log.append('s', together(...chainOf(2, START)), START)).toMatchObject({
      kind: 'appended',
    })
    await mine.log.checkpoints.put('s', 'one')
    await mine.log.blobs.put('s', Buffer.from('blob'))
    expect(await mine.log.names.claim('name', 's', 0)).toBe(true)
    const theirs = await open(`${server.url.replace('owner', 'ana')}?namespace=foreign`, false)
    expect(await theirs.log.exists('theirs')).toBe(false)
    await expect(theirs.log.create('new')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const ana = postgres(server.url.replace('owner', 'ana'), { max: 1, onnotice: () => undefined })
    await expect(ana`delete from steadfold.commits`).rejects.toMatchObject({ code: '42501' })
    await expect(ana`update steadfold.commits set line = ''`).rejects.toMatchObject({ code: '42501' })
    await expect(ana`create table steadfold.mine ()`).rejects.toMatchObject({ code: '42501' })
    await Promise.all([owner.log.close(), mine.log.close(), theirs.log.close(), ana.end()])
  })
})
