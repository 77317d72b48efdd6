/* A server that accepts a connection and says nothing, or nothing any more, is given up. */
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as net from 'node:net'
import * as path from 'node:path'
import * as v8 from 'node:v8'
import * as vm from 'node:vm'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { exitStatus } from '../../src/kernel/error.ts'
import { KEYS } from '../servers/ceph.ts'
import { failure, pair, scratch } from './rig.ts'

const root = scratch()
const servers: net.Server[] = []
let places: Places
let session: OpenSession

beforeAll(async () => {
  const [a] = await pair(root)
  places = new Places(a.vault, a.workspace, { dir: a.dir, env: KEYS, patience: 300 })
  session = await a.workspace.createSession({ name: 'waits' })
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  for (const server of servers) await new Promise((done) => server.close(done))
  fs.rmSync(root, { recursive: true, force: true })
})

async function listening(server: net.Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // Of a server that listens at a port.
  return `127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

/** What nobody holds goes while a command waits, as in a process with much to do. */
v8.setFlagsFromString('--expose-gc')
const collect: () => void = vm.runInNewContext('gc')

/** Every connection is held, and given up when its other end goes. */
const mute = () => listening(net.createServer((socket) => void socket.on('error', () => undefined).resume()))

/** Answers with the head of an answer and one byte of it. */
const halfway = () =>
  listening(
    http.createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('<')
    }),
  )

const urls = {
  's3, mute': async () => `s3://bucket/x?endpoint=http://${await mute()}`,
  's3, in the middle of an answer': async () => `s3://bucket/x?endpoint=http://${await halfway()}`,
  'git over http': async () => `git:http://${await mute()}/x.git`,
  'git over its own protocol': async () => `git:git://${await mute()}/x.git`,
  'git over ssh': async () => 'git:somebody@silent.example:x.git',
}

test.each(Object.entries(urls))('A1 %s', async (what, url) => {
  const noted = path.join(root, 'pid')
  vi.stubEnv('GIT_SSH_COMMAND', `sh -c 'echo $$ > ${noted}; exec sleep 600' --`)
  const collecting = setInterval(collect, 100)
  onTestFinished(() => clearInterval(collecting))
  const name = what.replaceAll(/\W+/g, '-')
  places.add(name, await url(), ['b'])
  for (const work of [() => places.push(name, session, undefined), () => places.pull(name, 'waits')]) {
    const { code, message } = await failure(work())
    expect([exitStatus(code), message]).toEqual([8, expect.stringMatching(/said nothing for 0\.3/)])
  }
  if (what !== 'git over ssh') return
  // Nor is what git has begun left behind.
  const pid = Number(fs.readFileSync(noted, 'utf8'))
  await expect.poll(() => fs.existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false)
})
