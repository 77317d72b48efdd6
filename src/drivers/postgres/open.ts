/* Opens a workspace in PostgreSQL: the package, the tables, what the server promises, and its clock. */
import { EngineError } from '../../kernel/error.ts'
import type { LogFacts } from '../../kernel/log-facts.ts'
import type { Here, Host } from '../../kernel/ports.ts'
import { addressOf, type Address } from './address.ts'
import { Database, type Client } from './database.ts'
import { asFailure, codeOf, isBusy } from './failure.ts'
import { isCurrent, migrate } from './migrations.ts'
import { PostgresLog } from './postgres.ts'

export interface Opening {
  readonly url: string
  /** Make the tables where they are missing, or bring them up to date. */
  readonly create: boolean
  readonly sha256: Host['sha256']
  readonly warn: (message: string) => void
  readonly here?: Here | undefined
}

export interface Opened {
  readonly log: PostgresLog
  /** What the server's clock is ahead of ours, in ms. */
  readonly ahead: number
  /** The address without its password. */
  readonly shown: string
  /** What tells this workspace from others; the same on every machine. */
  readonly place: string
  readonly facts: (session: string) => Promise<LogFacts>
  /** What it does not cover as it is set up. */
  readonly doubts: readonly string[]
}

const MISSING_TABLE = /^(3F000|42P01)$/

const ABOUT = `select extract(epoch from clock_timestamp()) * 1000 as now, current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as synchronous_commit, current_setting('full_page_writes') as full_page_writes,
  current_setting('server_version_num') as version`

export async function openPostgres({ url, create, sha256, warn, here }: Opening): Promise<Opened> {
  const address = addressOf(url)
  const database = new Database(await client(), address)
  try {
    const { ahead, doubts } = await database.patiently(`cannot open ${address.shown}`, () => about(database), isBusy)
    if (!(await isReady(database))) await prepare(database, address, create)
    for (const doubt of doubts) warn(`${address.shown}: ${doubt}`)
    const place = await placeOf(database)
    const log = new PostgresLog(database, sha256, here)
    return { log, ahead, shown: address.shown, place, doubts, facts: (session) => log.facts(session) }
  } catch (error) {
    await database.close().catch(() => undefined)
    throw asFailure(error, `cannot open ${address.shown}`)
  }
}

async function client(): Promise<Client> {
  try {
    return (await import('postgres')).default
  } catch (cause) {
    throw new EngineError('STORE_UNAVAILABLE', 'a workspace in PostgreSQL needs the package "postgres"', {
      hint: 'npm install postgres',
      cause,
    })
  }
}

/** Half of the way there and back is taken off: the clock was read in the middle. */
async function about(database: Database): Promise<{ readonly ahead: number; readonly doubts: readonly string[] }> {
  await database.once('select 1')
  const began = Date.now()
  const [row = {}] = await database.once(ABOUT)
  const ahead = Math.round(Number(row['now']) - (began + Date.now()) / 2)
  if (Number(row['version']) < 130000)
    throw new EngineError('STORE_UNAVAILABLE', 'the server is older than PostgreSQL 13', { hint: 'use 13 or newer' })
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].filter((name) => row[name] === 'off')
  return { ahead, doubts: off.map((name) => `${name} is off: a power cut may take commits that were acknowledged`) }
}

async function isReady(database: Database): Promise<boolean> {
  try {
    return isCurrent(await database.once('select step, hash from steadfold.migrations order by step'))
  } catch (error) {
    if (MISSING_TABLE.test(codeOf(error))) return false
    throw error
  }
}

/** Tables and namespace: a copy of the tables elsewhere was made at another time. */
async function placeOf(database: Database): Promise<string> {
  const text = `select 'pg-' || md5($1 || min(at)::text || min(hash)) as place from steadfold.migrations`
  const [row] = await database.once(text, [database.address.namespace])
  return String(row?.['place'])
}

async function prepare(database: Database, address: Address, create: boolean): Promise<void> {
  if (create) return migrate(database)
  throw new EngineError('WORKSPACE_NOT_FOUND', `the tables in ${address.shown} are missing or old`, {
    hint: `steadfold init --dir '${address.shown}'`,
  })
}
