/** A PostgreSQL of its own for a test file: in a temporary folder, on loopback, as it ships; gone at the end. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import postgres from 'postgres'
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

export async function startPostgres(settings: readonly string[] = []): Promise<Server> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'steadfold-postgres-'))
  // The server refuses to be root, so it is its own user, who must be able to enter the folder.
  const as = process.getuid?.() === 0 ? owner() : undefined
  if (as !== undefined) fs.chownSync(dir, as.uid, as.gid)
  const data = path.join(dir, 'data')
  const init = ['-D', data, '-A', 'trust', '-U', 'owner', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  execFileSync(binary('initdb') ?? '', init, { ...as, stdio: 'ignore', cwd: dir })
  const port = await freePort()
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  const flags = [...options, ...settings].flatMap((option) => ['-c', option])
  let child: ChildProcess | undefined
  const begin = async () => {
    child = spawn(binary('postgres') ?? '', ['-D', data, ...flags], {
      ...as,
      stdio: 'ignore',
      cwd: dir,
      detached: true,
    })
    await answers(port)
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    if (child?.pid !== undefined) process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal)
    await ended
  }
  await begin()
  const admin = client(port, 'postgres')
  await admin`create database test`
  await admin.end()
  return {
    url: `postgres://owner@127.0.0.1:${port}/test`,
    port,
    kill: () => end('SIGKILL'),
    start: begin,
    stop: async () => {
      await end('SIGINT')
      fs.rmSync(dir, { recursive: true, force: true })
    },
  }
}

const client = (port: number, database: string) =>
  postgres({ host: '127.0.0.1', port, database, user: 'owner', max: 1, onnotice: () => undefined, connect_timeout: 5 })

async function answers(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const sql = client(port, 'postgres')
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (tries === 200) throw error
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
