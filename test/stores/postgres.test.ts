import { createHash } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STEPS } from '../../src/drivers/postgres/migrations.ts'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { repairSession } from '../../src/kernel/care/repair.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { replay } from '../../src/kernel/log/replay.ts'
import type { Landed, Log, Position } from '../../src/kernel/ports.ts'
import { Place } from '../cli/binary.ts'
import { chainOf, sha256, together } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'
import { workspaceOn } from './writers.ts'

const RELEASED = [
  '9afb65db7c691e28e1ea35ac7c272258a788f5fd4dd14e7e89e78da5260f5ca9',
  '751fa7fe14150e50a21128f6cbe27fea1dbb415a9212e49feee12fc37731ca80',
]

const open = (url: string, create = true) => openPostgres({ url, create, sha256, warn: () => undefined })
function gate() {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open: () => open() }
}

/** What a watcher reads, from where it stands, each time it is called. */
function watched(log: Log, session: string) {
  const seqs: number[] = []
  const chain = new Chain(START, sha256)
  const waiting = new Set<() => void>()
  let reading = Promise.resolve()
  const look = async () => {
    for await (const commits of replay(log, session, chain)) seqs.push(...commits.map(({ seq }) => seq))
    for (const wake of waiting) wake()
  }
  const unwatch = log.watch(session, () => {
    reading = reading.then(look)
  })
  const upto = async (count: number) => {
    while (seqs.length < count) await new Promise<void>((wake) => waiting.add(wake))
  }
  /** What is being read is read to its end. */
  const end = async () => {
    unwatch()
    await reading
  }
  return { seqs, upto, end }
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
    const place = new Place({ init: false })
    const told = ['doctor', 'status'].map((command) => place.run(command, '--dir', server.url).status)
    place.remove()
    expect(told).toEqual([9, 9])
    await sql`delete from steadfold.migrations where step = 99`
  })

  test('D4 of several hosts the word of the one that is there is told, wherever it stands', async () => {
    const refused = { message: expect.stringContaining('role "nobody" does not exist') }
    const there = `127.0.0.1:${server.port}`
    for (const hosts of [`${there},127.0.0.1:1`, `127.0.0.1:1,${there}`])
      await expect(open(`postgres://nobody@${hosts}/test`)).rejects.toMatchObject(refused)
  })

  test('of several hosts the one that takes writes is used', async () => {
    const { log } = await open(server.url.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1'))
    await log.create('hosts')
    expect(await log.exists('hosts')).toBe(true)
    await log.close()
  })

  test('R2 a transaction is open for 3 s while 200 later ones commit: a watcher sees all, in order', async () => {
    // Longer than the others take, on any machine.
    const { log } = await open(`${server.url}?namespace=held&timeout=100`)
    for (const session of ['held', 'other']) await log.create(session)
    const [first] = chainOf(1, START)
    if (first === undefined) throw new Error('there is one')
    const [heldSeen, otherSeen] = [watched(log, 'held'), watched(log, 'other')]
    const later = gate()
    const held = gate()
    const old = sql.begin(async (run) => {
      const line = Buffer.from(first.line)
      await run`update steadfold.sessions set seq = 1, hash = ${first.hash}, ends = ${line.length}
        where namespace = 'held' and session = 'held'`
      await run`insert into steadfold.commits values ('held', 'held', 1, 1, 0, ${line})`
      held.open()
      await Promise.all([later.passed, run`select pg_sleep(3)`])
    })
    await held.passed
    const behind = log.append('held', together(...chainOf(1, START, 'late')), START)
    let position: Position = START
    for (let i = 0; i < 200; i++) {
      const answer = await log.append('other', together(...chainOf(1, position)), position)
      if (answer.kind === 'appended') position = answer.position
    }
    expect(position.seq).toBe(200)
    await otherSeen.upto(200)
    expect(heldSeen.seqs).toEqual([])
    later.open()
    await old
    await heldSeen.upto(1)
    // It waited for the row, and found it moved.
    expect(await behind).toEqual({ kind: 'conflict' })
    const second = { ...first, segment: 1, offset: Buffer.byteLength(first.line) }
    await log.append('held', together(...chainOf(2, second)), second)
    await heldSeen.upto(3)
    expect(heldSeen.seqs).toEqual([1, 2, 3])
    expect(otherSeen.seqs).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
    await Promise.all([heldSeen.end(), otherSeen.end()])
    await log.close()
  })

  test('a landing that is killed leaves no row, and one connection is enough to land and to restore', async () => {
    const { log } = await open(`${server.url}?namespace=landed&max=1`)
    const attic = await log.attic()
    const lines = Buffer.from(
      chainOf(2, START)
        .map(({ line }) => line)
        .join(''),
    )
    async function* files(isKilled: boolean): AsyncGenerator<Landed> {
      yield { path: 'log/00000000000000000001.jsonl', chunks: [lines] }
      yield { path: `blobs/${sha256(lines)}`, chunks: [lines] }
      if (isKilled) throw new Error('killed')
    }
    await expect(attic.land('s', files(true))).rejects.toThrow('killed')
    for (const table of ['commits', 'blobs'])
      expect(await sql`select from steadfold.${sql(table)} where namespace = 'landed'`).toHaveLength(0)
    await attic.land('s', files(false))
    await log.archive('s')
    await attic.restore('s', 's')
    expect(await sql`select from steadfold.parcels where namespace = 'landed'`).toHaveLength(0)
    expect((await log.blobs.get('s', sha256(lines)))?.equals(lines)).toBe(true)
    await log.close()
  })

  test('lines without a session, as an earlier version left them, are taken for their own by who brings the same', async () => {
    const { log } = await open(`${server.url}?namespace=left`)
    const [one, two] = chainOf(2, START).map(({ line }) => Buffer.from(line))
    if (one === undefined || two === undefined) throw new Error('there are two')
    for (const id of ['s', 't']) {
      await sql`insert into steadfold.commits values ('left', ${id}, 1, 1, 0, ${one})`
      await sql`insert into steadfold.commits values ('left', ${id}, 2, 1, ${one.length}, ${two})`
    }
    await log.create('t')
    await (
      await log.attic()
    ).land(
      's',
      (async function* () {
        yield { path: 'log/00000000000000000001.jsonl', chunks: [one] }
      })(),
    )
    for (const id of ['s', 't']) {
      const end = { seq: 2, hash: chainOf(2, START)[1]?.hash ?? '', segment: 1, offset: one.length + two.length }
      expect(await log.append(id, together(...chainOf(1, end)), end)).toMatchObject({ kind: 'appended' })
    }
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
    await expect(repairSession(workspaceOn(log).kernel, 's')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.stringMatching(/backup.*workspace copy/),
    })
    await log.close()
  })
})
