/*
 * Sessions asked in SQL.
 *
 * S1. Tables hold what the lists of the command line say, under the same names.
 * S2. All sessions, or one, at any of its points, or those that were put away.
 * S3. What cannot be read is told, and is not all: exit 10.
 * S4. A question that has no end is ended by Ctrl-C.
 */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { SQL_TABLES } from '../../src/surfaces/cli/commands/sql-tables.ts'
import { fillSample } from '../web/fixture.ts'
import { Place } from './binary.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

let place: Place
let sample: string
beforeAll(async () => {
  place = new Place()
  sample = await fillSample(place.dir, 'build-auth')
})
afterAll(() => place.remove())

const ask = (...words: readonly string[]) => place.data<Rows>('sql', ...words)

/** Of these the columns are chosen; of all others they are what a list says. */
const CHOSEN = ['sessions', 'commits', 'events', 'said', 'outputs', 'documents']

test('S1 a table has the columns of its list, and no others', async () => {
  await using workspace = await openWorkspace({ dir: place.dir })
  const session = await workspace.session(sample)
  await session.agent.spawn({ agent: 'one', type: 'coder' })
  await session.message.send({ to: ['one'], payload: { a: 1 } })
  await session.activity.launch({ agent: 'claude', run: 'one', cwd: place.dir })
  await session.output.set({ name: 'one', value: '1' })
  await session.chat.open({ title: 'login', text: 'how long is a token good for?' })
  for (const { name, columns, rows } of SQL_TABLES) {
    const seen = new Set<string>()
    for await (const row of rows({ session, at: undefined, seq: session.seq }))
      for (const key of Object.keys(row)) seen.add(key)
    const own = Object.keys(columns).filter((column) => !column.startsWith('session'))
    if (CHOSEN.includes(name)) for (const column of own) expect([...seen, 'key', 'reason'], name).toContain(column)
    else expect([...seen].toSorted(), name).toEqual(own.toSorted())
  }
})

test('S1 rows are those of the lists', () => {
  const steps = place.data<Rows>('step', 'list', '--session', sample)
  expect(
    ask('select name, status, tokens, cost_usd from steps where session_id = ? order by started_at', sample),
  ).toEqual(steps.map(({ name, status, tokens, cost_usd }) => ({ name, status, tokens, cost_usd })))
  const [cost] = ask('select sum(cost_usd) as usd, count(*) as n from steps')
  expect(cost?.['usd']).toBeGreaterThan(0)
  const [log] = ask('select count(*) as n, max(seq) as seq from commits where session = ?', 'build-auth')
  expect(log?.['n']).toBe(log?.['seq'])
  expect(
    ask("select json_extract(document, '$.session.name') as name from documents where session_id = ?", sample),
  ).toEqual([{ name: 'build-auth' }])
  expect(ask('select typeof(data) as type, json_valid(data) as ok from events group by 1, 2')).toEqual([
    { type: 'text', ok: 1 },
  ])
})

test('S1 what was said is told whole, by whom and where, now and then', () => {
  place.data('session', 'create', 'talk')
  const talk = (...words: readonly string[]) => place.data<Record<string, unknown>>(...words, '--session', 'talk')
  talk('channel', 'create', 'room')
  talk('turn', 'say', 'room', 'more than '.repeat(3000), '--as', 'human:ana')
  talk('chat', 'open', 'Login', '--id', 'login', '--text', 'how long is a token good for?', '--as', 'human:ana')
  const told = 'select place, name, author, length(text) as n from said where session = ? order by seq'
  const first = { place: 'channel', name: 'room', author: 'human:ana', n: 30_000 }
  expect(ask(told, 'talk')).toEqual([first, { place: 'conversation', name: 'login', author: 'human:ana', n: 29 }])
  expect(ask('select name from said', '--session', 'talk', '--at', '3')).toEqual([{ name: 'room' }])
})

test('S2 all sessions, one, one at a point, and what was put away', () => {
  const names = place.data<Rows>('session', 'list').map(({ name }) => name)
  expect(ask('select name from sessions order by id').map(({ name }) => name)).toEqual(names)
  expect(ask('select count(*) as n from commits', '--session', 'build-auth@3')).toEqual([{ n: 3 }])
  expect(ask('select seq from sessions', '--session', 'build-auth', '--at', '2')).toEqual([{ seq: 2 }])
  expect(ask('select count(*) as n from sessions', '--archived')).toEqual([{ n: 0 }])
})

test('a query comes from a file or stdin, and values for its question marks are JSON or text', () => {
  place.file('q.sql', 'select ? as a, ? as b, ? as c, typeof(?) as d')
  expect(ask('--file', 'q.sql', 'x', '2', '{"y":[1]}', '2')).toEqual([{ a: 'x', b: 2, c: '{"y":[1]}', d: 'integer' }])
  const { out } = place.runWith({ input: 'select 1 as one' }, 'sql', '-', '--json')
  expect(JSON.parse(out)).toMatchObject({ schema: 'steadfold/sql/v1', data: [{ one: 1 }] })
})

test('people get columns, or hear that there is nothing, or what could be asked', () => {
  const { out } = place.run('sql', "select 'a\n\u001B[31m' as text, 12 as n")
  expect(out).toBe('text        n\na\\n\\e[31m  12\n')
  expect(place.run('sql', 'select * from locks where 0').out).toBe('no rows\n')
  expect(place.run('sql').out).toContain('tasks  tasks; waits_for is a list as JSON\n  session session_id id title')
})

test.each([
  [['select absent from tasks'], 4, 'no such column: absent'],
  [['drop table tasks'], 4, 'readonly'],
  [['select 1', '--out', 'x.db'], 64, '--out keeps all tables'],
  [['select 1 as n', '--session', 'nobody'], 3, 'nobody'],
  [['--out', 'nowhere/x.db'], 3, 'cannot write'],
  [['--out', '.steadfold', '--force'], 3, 'cannot write'],
])('%j is refused: exit %i', (words, status, told) => {
  const done = place.run('sql', ...words)
  expect(done.status).toBe(status)
  expect(done.err).toContain(told)
  expect(done.err).toContain('next: ')
})

test('a file of SQLite holds all tables, and takes the place of none unasked', () => {
  const file = path.join(place.dir, 'team.db')
  expect(place.data('sql', '--out', 'team.db')).toMatchObject({ file })
  expect(fs.readFileSync(file).subarray(0, 15).toString()).toBe('SQLite format 3')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(place.run('sql', '--out', 'team.db').status).toBe(4)
  fs.chmodSync(file, 0o644)
  expect(place.run('sql', '--out', 'team.db', '--force').status).toBe(0)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('team'))).toEqual(['team.db'])
})

test('S3 what cannot be read is told, and is not all', () => {
  const spoiled = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'spoiled').session.id
  for (const n of ['1', '2', '3']) place.data('state', 'set', 'data.n', n, '--session', 'spoiled')
  const log = path.join(place.dir, '.steadfold', 'sessions', spoiled, 'log', '00000000000000000001.jsonl')
  fs.writeFileSync(log, fs.readFileSync(log, 'utf8').replace('"value":2', '"value":9'))
  fs.rmSync(path.join(place.dir, '.steadfold', 'sessions', spoiled, 'checkpoint.json'), { force: true })
  const { status, out, err } = place.run('sql', "select seq from commits where session = 'spoiled'", '--json')
  expect([status, JSON.parse(out)]).toMatchObject([10, { data: [{ seq: 1 }, { seq: 2 }] }])
  expect(err).toContain(`session ${spoiled} ends at commit 2, where its log is damaged`)
  fs.rmSync(path.dirname(log), { recursive: true })
  const gone = place.run('sql', 'select count(*) as n from sessions', '--json')
  expect(gone.status).toBe(10)
  expect(gone.err).toContain(`session ${spoiled} is left out`)
})

test('S4 a question that has no end is ended by Ctrl-C', async () => {
  const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) as n from n'
  const child = place.start('sql', endless)
  const gone = once(child, 'exit', { signal: AbortSignal.timeout(30_000) }).finally(() => child.kill('SIGKILL'))
  await new Promise((resolve) => setTimeout(resolve, 3000))
  child.kill('SIGINT')
  expect(await gone).toEqual([null, 'SIGINT'])
})
