/* A server that accepts a connection and says nothing is given up, and the connection with it: a program ends. */
import * as net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { failure } from '../vault/rig.ts'

const held = new Set<net.Socket>()
const server = net.createServer((socket) => {
  held.add(socket)
  socket.on('error', () => undefined).on('close', () => held.delete(socket))
  socket.resume()
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // Of a server that listens at a port.
  port = (server.address() as net.AddressInfo).port
})
afterAll(() => {
  for (const socket of held) socket.destroy()
  server.close()
})

test.each(['nats', 'postgres'])(
  '%s',
  async (scheme) => {
    const opening = openWorkspace({ dir: `${scheme}://${scheme === 'nats' ? '' : 'a@'}127.0.0.1:${port}/test` })
    expect((await failure(opening)).code).toBe('STORE_UNAVAILABLE')
    await expect.poll(() => held.size, { timeout: 60_000 }).toBe(0)
  },
  120_000,
)
