/** A PostgreSQL of its own for a test file: in a temporary folder, on loopback, as it ships; gone at the end. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import postgres from 'postgres'
import { remove } from '../remove.ts'
import { freePort } from './port.ts'

export interface Server {
  /** Of the database `test`, as its owner. */
  readonly url: string
  readonly port: number
  /** kill -9 of all of its processes. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const PLACES = ['/usr/local/bin', '/usr/bin', ...debian()]
const binary = (name: string) => PLACES.map((place) => path.join(place, name)).find((file) => fs.existsSync(file))

/** Undefined where there is no server to be had. */
export const hasPostgres = binary('initdb') !== undefined && binary('postgres') !== undefined

if (!hasPostgres)
  process.stderr.write('\nNO POSTGRESQL HERE: its tests are left out; apt-get install postgresql, or see .ci/run\n\n')

function debian(): readonly string[] {
  const root = '/usr/lib/postgresql'
  const versions = fs.existsSync(root) ? fs.readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => path.join(root, version, 'bin'))
}

/** In PEM form. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** `tls`: it takes encrypted connections besides. */
export async function startPostgres(settings: readonly string[] = [], tls?: Tls): Promise<Server> {
  const { dir, as } = folder()
  execFileSync('cp', ['-a', path.join(fresh(), 'data'), dir])
  const server = await serve(dir, as, [...settings, ...(tls === undefined ? [] : encrypted(dir, as, tls))])
  const admin = client(server.port, 'postgres')
  await admin`create database test`
  await admin.end()
  return server
}

/** Another server that follows `primary`, which from now on acknowledges nothing before this one has it, too. */
export async function startStandby(primary: Server): Promise<Server & { promote(): Promise<void> }> {
  const { dir, as } = folder()
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'owner', '-X', 'stream', '-c', 'fast', '-R']
  const copy = ['-D', path.join(dir, 'data'), ...from, '--no-sync']
  execFileSync(binary('pg_basebackup') ?? '', copy, { ...as, stdio: 'ignore', cwd: dir })
  const server = await serve(dir, as, [])
  const admin = client(primary.port, 'postgres')
  await admin`alter system set synchronous_standby_names = '*'`
  await admin`alter system set synchronous_commit = 'remote_write'`
  await admin`select pg_reload_conf()`
  for (let state = ''; state !== 'sync'; await new Promise((resolve) => setTimeout(resolve, 25)))
    state = String((await admin`select sync_state from pg_stat_replication`)[0]?.['sync_state'])
  await admin.end()
  const promote = async () => {
    const sql = client(server.port, 'postgres')
    await sql`select pg_promote(true, 60)`
    await sql.end()
  }
  return { ...server, promote }
}

/** A cluster that nobody used, made once: that takes longer than most tests. */
function fresh(): string {
  const place = path.join(os.tmpdir(), 'postgres')
  if (fs.existsSync(place)) return place
  const { dir, as } = folder()
  const init = ['-A', 'trust', '-U', 'owner', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  execFileSync(binary('initdb') ?? '', ['-D', path.join(dir, 'data'), ...init], { ...as, stdio: 'ignore', cwd: dir })
  try {
    fs.renameSync(dir, place)
  } catch {
    // Another test was first.
    remove(dir)
  }
  return place
}

type User = { readonly uid: number; readonly gid: number } | undefined

/** The server refuses to be root, so it is its own user, who must be able to enter the folder. */
function folder(): { readonly dir: string; readonly as: User } {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-postgres-'))
  const as = process.getuid?.() === 0 ? owner() : undefined
  if (as !== undefined) fs.chownSync(dir, as.uid, as.gid)
  return { dir, as }
}

function encrypted(dir: string, as: User, { cert, key }: Tls): readonly string[] {
  const files = Object.entries({ cert, key }).map(([name, text]) => {
    const file = path.join(dir, `server.${name}`)
    fs.writeFileSync(file, text, { mode: 0o600 })
    if (as !== undefined) fs.chownSync(file, as.uid, as.gid)
    return `ssl_${name}_file=${file}`
  })
  return ['ssl=on', ...files]
}

async function serve(dir: string, as: User, settings: readonly string[]): Promise<Server> {
  const port = await freePort()
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  const flags = [...options, ...settings].flatMap((option) => ['-c', option])
  let child: ChildProcess | undefined
  const launch = () => {
    child = spawn(binary('postgres') ?? '', ['-D', path.join(dir, 'data'), ...flags], {
      ...as,
      stdio: 'ignore',
      cwd: dir,
      detached: true,
    })
  }
  const begin = async () => {
    launch()
    await answers(port, () => child?.exitCode !== null && launch())
  }
  const end = async (signal: NodeJS.Signals) => {
    const { pid, exitCode, signalCode } = child ?? {}
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    process.kill(signal === 'SIGKILL' ? -pid : pid, signal)
    await ended
  }
  await begin()
  return {
    url: `postgres://owner@127.0.0.1:${port}/test`,
    port,
    kill: () => end('SIGKILL'),
    start: begin,
    stop: async () => {
      await end('SIGINT')
      remove(dir)
    },
  }
}

const client = (port: number, database: string) =>
  postgres({ host: '127.0.0.1', port, database, user: 'owner', max: 1, onnotice: () => undefined, connect_timeout: 5 })

/** A server that was killed recovers first, or refuses to start while something of it is still about. */
async function answers(port: number, again: () => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    const sql = client(port, 'postgres')
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (tries === 800) throw error
      again()
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

function owner() {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
