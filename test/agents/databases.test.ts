/* opencode's database: seen everywhere, read where Node has SQLite, and never written. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'

interface Database {
  exec(statements: string): void
  close(): void
}
// The types are those of a Node that has none.
const sqlite = process.getBuiltinModule('node:sqlite') as
  | { readonly DatabaseSync: new (file: string) => Database }
  | undefined

let place: Place
let data: string
beforeEach(() => {
  place = new Place()
  data = path.join(place.dir, 'home/.local/share/opencode')
  fs.mkdirSync(data, { recursive: true })
})
afterEach(() => place.remove())

const run = (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
  const none = { CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '', OPENCODE_DATA_DIR: '' }
  return place.runWith({ env: { HOME: path.join(place.dir, 'home'), ...none, OPENCODE_DB: '', ...env } }, ...args)
}

interface Check {
  readonly name: string
  readonly status: string
  readonly found: string
  readonly hint?: string
  readonly findings?: readonly { readonly kind: string; readonly session: string }[]
}

const checks = (env = {}) =>
  (JSON.parse(run(env, 'doctor', '--json').out) as { data: { checks: readonly Check[] } }).data.checks.filter(
    ({ name }) => name.startsWith('opencode'),
  )
const kinds = () =>
  checks()
    .flatMap((check) => check.findings ?? [])
    .map(({ kind, session }) => `${kind} ${session}`)

const everything = () =>
  fs.readdirSync(data).map((name) => {
    const { mode, mtimeMs, ctimeMs, size } = fs.lstatSync(path.join(data, name))
    return { name, mode, mtimeMs, ctimeMs, size }
  })

const rescued = () => {
  const folder = path.join(place.dir, 'home/.local/state/steadfold/rescued/opencode')
  return fs.existsSync(folder) ? (fs.readdirSync(folder, { recursive: true }) as string[]) : []
}

function made(name: string): Database {
  if (sqlite === undefined) throw new Error('only where Node has SQLite')
  return new sqlite.DatabaseSync(path.join(data, name))
}

/** Stays open, with what was written last in the file beside it, as while opencode runs. */
function open(name: string, rows: readonly (readonly [id: string, parent: string | null])[]): Database {
  const database = made(name)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
  database.exec('CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, title TEXT)')
  for (const [id, parent] of rows)
    database.exec(`INSERT INTO session VALUES ('${id}', 'p', ${parent === null ? 'NULL' : `'${parent}'`}, '')`)
  return database
}

test.runIf(sqlite === undefined)('Q3 where Node has no SQLite the file is named as seen and not read', () => {
  fs.writeFileSync(path.join(data, 'opencode.db'), 'SQLite format 3\0')
  const [check] = checks()
  expect(check).toMatchObject({ name: 'opencode database opencode.db', status: 'warn' })
  expect(check?.found).toBe('seen, not read: needs Node 22.13 or newer')
  expect(check?.hint).toContain(path.join(data, 'opencode.db'))
})

test('Q3 other files, folders and links are no databases; what OPENCODE_DB names is', () => {
  fs.mkdirSync(path.join(data, 'opencode-folder.db'))
  fs.symlinkSync('/etc/passwd', path.join(data, 'opencode-link.db'))
  fs.writeFileSync(path.join(data, 'other.db'), '')
  expect(checks()).toEqual([])
  expect(checks({ OPENCODE_DB: ':memory:' })).toEqual([])
  expect(checks({ OPENCODE_DB: 'other.db' }).map(({ name }) => name)).toEqual(['opencode database other.db'])
})

test('rescue copies a database with what belongs to it, each time into a folder of its own', () => {
  const file = path.join(data, 'opencode.db')
  fs.writeFileSync(file, 'one')
  fs.writeFileSync(`${file}-wal`, 'ahead')
  const before = everything()
  expect(run({}, 'rescue', '--all').out).toContain('copied 2 files')
  expect(run({}, 'rescue', '--all').out).toBe('nothing to copy\n')
  expect(everything()).toEqual(before)
  fs.writeFileSync(`${file}-wal`, 'more ahead')
  expect(run({}, 'rescue', '--all').out).toContain('copied 2 files')
  expect(
    rescued()
      .map((name) => path.basename(name))
      .filter((name) => name.endsWith('-wal')),
  ).toHaveLength(2)
})

test.skipIf(sqlite === undefined)('Q1 sessions and parents that are missing are read, also while it is in use', () => {
  const database = open('opencode.db', [
    ['ses_1', null],
    ['ses_2', 'ses_1'],
    ['ses_3', 'ses_9'],
  ])
  open('opencode-dev.db', [['ses_1', null]]).close()
  expect(fs.statSync(path.join(data, 'opencode.db-wal')).size).toBeGreaterThan(0)
  const before = everything()
  expect(checks().map(({ status, found }) => `${status} ${found}`)).toEqual([
    'ok 1 session',
    'warn 3 sessions, 1 cut off from a parent',
  ])
  expect(kinds()).toEqual(['parent ses_3'])
  expect(everything()).toEqual(before)
  expect(run({}, 'rescue').out).toContain('opencode.db-wal')
  database.close()
})

test.skipIf(sqlite === undefined)(
  'sessions of version 2 stand in a table of their own, and one that it took over counts once',
  () => {
    const database = open('opencode.db', [['ses_1', null]])
    database.exec('CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT)')
    database.exec("INSERT INTO session_v2 VALUES ('ses_1', NULL), ('ses_2', 'ses_1'), ('ses_3', 'ses_9')")
    const alone = made('opencode-next.db')
    alone.exec(
      "CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT); INSERT INTO session_v2 VALUES ('ses_4', NULL)",
    )
    alone.close()
    expect(checks().map(({ found }) => found)).toEqual(['1 session', '3 sessions, 1 cut off from a parent'])
    database.close()
  },
)

test.skipIf(sqlite === undefined)('Q3 a damaged database and one of another form are told apart', () => {
  open(
    'opencode.db',
    Array.from({ length: 200 }, (_, i) => [`ses_${i}`, null] as const),
  ).close()
  fs.truncateSync(path.join(data, 'opencode.db'), 8192)
  fs.writeFileSync(path.join(data, 'opencode-text.db'), 'this is no database, whatever its name says. '.repeat(40))
  const other = made('opencode-other.db')
  other.exec('CREATE TABLE session (key TEXT)')
  other.close()
  expect(kinds().toSorted()).toEqual(['torn opencode-text.db', 'torn opencode.db'])
  expect(checks().find(({ name }) => name.endsWith('opencode-other.db'))?.found).toContain('no table of sessions')
})
