/*
 * The databases in which newer versions of opencode keep their sessions.
 *
 *   opencode.db, opencode.db-wal ──copied──► a private folder ──read──► removed
 *
 * Q1. The copy is opened, never the file: SQLite writes beside what it opens, even to read.
 * Q2. What was written while it was copied is copied again, a few times.
 * Q3. What cannot be read is named, with the reason: no SQLite in this Node, too large, in use, or of another form.
 */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { asError } from '../../../kernel/error.ts'
import { membersOf } from '../../../kernel/json/members.ts'
import { bytes } from '../show/text.ts'
import { textAt } from '../show/view.ts'
import type { Finding, StoreReport } from './finding.ts'
import { openTwice } from './open-twice.ts'
import { statOf } from './stat.ts'

const NAME = /^opencode(-[\w.-]+)?\.db$/
/** Of sessions: of version 1, and of version 2, which keeps its own beside them. */
const TABLES = ['session', 'session_v2']
/** What belongs to a database while it is in use. */
const BESIDE = ['', '-wal', '-journal']
const LARGEST = 1_000_000_000
const TRIES = 3

/** `named`: what OPENCODE_DB says. */
export function lookAtDatabases(data: string, named: string | undefined): readonly StoreReport[] {
  const own = named === undefined || named === ':memory:' ? [] : [path.resolve(data, named)]
  const found = namesIn(data).filter((name) => NAME.test(name))
  const files = new Set([...found.map((name) => path.join(data, name)), ...own])
  return [...files].filter((file) => stampOf(file) !== undefined).map(reportOf)
}

function reportOf(file: string): StoreReport {
  const files = BESIDE.map((end) => file + end).filter((each) => stampOf(each) !== undefined)
  const report = {
    store: 'opencode',
    name: `opencode database ${path.basename(file)}`,
    root: path.dirname(file),
    files,
    folder: `${path.basename(file)}.${newest(files)}`,
    sessions: 0,
    whole: 0,
    findings: [],
  } as const
  const read = rowsOf(file, files)
  if (read.kind === 'unread') return { ...report, unread: read.why }
  if (read.kind === 'damaged')
    return { ...report, findings: [{ kind: 'torn', session: path.basename(file), file, detail: read.why }] }
  const known = read.rows.map(({ id }) => ({ id, file }))
  const findings = [...parents(file, read.rows), ...openTwice(known, undefined)]
  return { ...report, sessions: known.length, whole: known.length, findings }
}

interface Row {
  readonly id: string
  readonly parent: string | null
}

type Read =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'unread'; readonly why: string }

const unread = (why: string): Read => ({ kind: 'unread', why })

/** Q3 */
function rowsOf(file: string, files: readonly string[]): Read {
  const open = sqlite()
  if (open === undefined) return unread('needs Node 22.13 or newer')
  if (sizeOf(files) > LARGEST) return unread(`more than ${bytes(LARGEST)}`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-look-'))
  try {
    return copied(files, folder) ? ask(open, path.join(folder, path.basename(file))) : unread('it is being written')
  } catch (error) {
    return unread(asError(error).message)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Q2: whether all files are from one moment. */
function copied(files: readonly string[], folder: string): boolean {
  const stamps = () => files.map(stampOf).join()
  for (let i = 0; i < TRIES; i++) {
    const before = stamps()
    for (const file of files)
      fs.copyFileSync(file, path.join(folder, path.basename(file)), fs.constants.COPYFILE_FICLONE)
    if (stamps() === before) return true
  }
  return false
}

function ask(open: Opener, file: string): Read {
  const database = open(file)
  try {
    const [first] = database
      .prepare('PRAGMA quick_check(1)')
      .all()
      .map((row) => textAt(membersOf(row)['quick_check']))
    if (first !== 'ok') return { kind: 'damaged', why: `SQLite says: ${first ?? 'damaged'}` }
    const tables = TABLES.filter((table) => isKnown(database, table))
    if (tables.length === 0) return unread('it holds no table of sessions in a form that is known here')
    return { kind: 'rows', rows: rowsIn(database, tables) }
  } catch (error) {
    const why = asError(error).message
    return /malformed|not a database/.test(why) ? { kind: 'damaged', why: `SQLite says: ${why}` } : unread(why)
  } finally {
    database.close()
  }
}

function isKnown(database: Database, table: string): boolean {
  const rows = database.prepare(`PRAGMA table_info(${table})`).all()
  const columns = rows.map((row) => textAt(membersOf(row)['name']))
  return columns.includes('id') && columns.includes('parent_id')
}

/** A session that version 2 took over stands in both. */
function rowsIn(database: Database, tables: readonly string[]): readonly Row[] {
  const all = tables.flatMap((table) => database.prepare(`SELECT id, parent_id FROM ${table}`).all().map(membersOf))
  const rows = all.map((row): Row => ({ id: String(row['id']), parent: textAt(row['parent_id']) }))
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

function parents(file: string, rows: readonly Row[]): readonly Finding[] {
  const known = new Set(rows.map(({ id }) => id))
  return rows.flatMap(({ id: session, parent }) =>
    parent === null || known.has(parent)
      ? []
      : [{ kind: 'parent' as const, session, file, detail: `its parent ${parent} is not there` }],
  )
}

interface Database {
  prepare(statement: string): { all(): readonly unknown[] }
  close(): void
}

type Opener = (file: string) => Database

/** Undefined where Node has none. Loading it makes older ones warn, which tells nobody anything here. */
function sqlite(): Opener | undefined {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    // The types are those of the oldest Node that this runs on, which has none.
    const module = process.getBuiltinModule('node:sqlite') as
      | { readonly DatabaseSync: new (file: string) => Database }
      | undefined
    return module === undefined ? undefined : (file) => new module.DatabaseSync(file)
  } finally {
    process.emitWarning = emitWarning
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** Undefined for what is no plain file. */
function stampOf(file: string): string | undefined {
  const stat = statOf(file)
  return stat?.isFile() === true ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : undefined
}

const sizeOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + fs.lstatSync(file).size, 0)

/** The time of the last change, as a part of a file name. */
const newest = (files: readonly string[]): string =>
  new Date(Math.max(...files.map((file) => fs.lstatSync(file).mtimeMs))).toISOString().replaceAll(':', '-')
