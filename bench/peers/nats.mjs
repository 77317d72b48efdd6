/* One NATS server with JetStream on loopback, as Debian brings it, so it syncs every two minutes; stopped at the end. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { freshDir } from '../lib/place.mjs'
import { freePort } from './postgres.mjs'

const BINARY = ['/usr/sbin/nats-server', '/usr/bin/nats-server', '/usr/local/bin/nats-server'].find((file) =>
  fs.existsSync(file),
)

/** Undefined where there is none. */
export async function startNats() {
  if (BINARY === undefined) return undefined
  const [dir, port] = [freshDir('nats'), await freePort()]
  const file = path.join(dir, 'nats.conf')
  fs.writeFileSync(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${dir}" }\n`)
  const server = spawn(BINARY, ['-c', file], { stdio: 'ignore' })
  while (!(await listens(port))) await new Promise((resolve) => setTimeout(resolve, 20))
  const stop = () => new Promise((resolve) => server.once('exit', resolve) && server.kill())
  return { url: `nats://127.0.0.1:${port}`, dir, stop }
}

function listens(port) {
  return new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1', () => resolve(true) ?? probe.end())
    probe.on('error', () => resolve(false))
  })
}
