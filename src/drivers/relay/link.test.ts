import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { RelayLink } from './link.ts'

const event = { id: 'a'.repeat(64), pubkey: '', created_at: 0, kind: 1, tags: [], content: '', sig: null }

test('a relay that has hung up is told at once, whatever is asked of it', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => socket.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = { signal: new AbortController().signal, signer: async () => undefined, patience: 60_000 }
  const link = await RelayLink.open(`ws://127.0.0.1:${port}`, options)
  await link.closed
  const nothing = () => undefined
  for (const asked of [link.publish(event), link.request({}, nothing), link.subscribe([{}], nothing)])
    await expect(asked).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/is gone$/) })
  server.close()
})

test.each([true, false])('R3 a relay that says nothing is there while it answers a ping: %s', async (autoPong) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong })
  const pings = new Promise<void>((resolve) => {
    let count = 0
    server.on('connection', (socket) => socket.on('ping', () => ++count === 4 && resolve()))
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = new AbortController()
  const options = { signal: stop.signal, signer: async () => undefined, patience: 50 }
  const link = await RelayLink.open(`ws://127.0.0.1:${port}`, options)
  expect(await Promise.race([pings.then(() => 'there'), link.closed.then(() => 'gone')])).toBe(
    autoPong ? 'there' : 'gone',
  )
  stop.abort()
  server.close()
})
