import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
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

/** Answers each message after `ms`, one by one, as a slow line does. */
async function slow(ms: number, answers: (message: readonly unknown[]) => readonly unknown[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    const waiting: unknown[] = []
    const timer = setInterval(() => waiting.length > 0 && socket.send(JSON.stringify(waiting.shift())), ms)
    // What the link sends is JSON.
    socket.on('message', (data) =>
      waiting.push(...answers(JSON.parse(Buffer.isBuffer(data) ? data.toString() : '') as readonly unknown[])),
    )
    socket.on('close', () => clearInterval(timer))
  })
  await once(server, 'listening')
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const linkTo = (url: string, patience: number) =>
  RelayLink.open(url, { signal: new AbortController().signal, signer: async () => undefined, patience })

test('R3 a relay on a slow line is waited for as long as it goes on answering', async () => {
  const stored = Array.from({ length: 12 }, () => ['EVENT', 'ask-1', event])
  const { server, url } = await slow(50, ([type, what]) => {
    if (type === 'REQ') return [...stored, ['EOSE', what]]
    return type === 'EVENT' ? [['OK', (what as { readonly id: string }).id, true, '']] : []
  })
  const link = await linkTo(url, 400)
  let heard = 0
  await link.request({ kinds: [1], limit: 500 }, () => heard++)
  expect(heard).toBe(stored.length)
  const offered = Array.from({ length: 12 }, (_, n) => ({ ...event, id: n.toString(16).padStart(64, '0') }))
  expect(await Promise.all(offered.map((each) => link.publish(each)))).toEqual(
    offered.map(() => ({ ok: true, message: '' })),
  )
  link.close()
  server.close()
})

test('R3 a relay that gives far more than it was asked for, and comes to no end, is left', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    const timer = setInterval(() => socket.send(JSON.stringify(['EVENT', 'ask-1', event])), 5)
    socket.on('close', () => clearInterval(timer))
  })
  await once(server, 'listening')
  const link = await linkTo(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, 200)
  const asked = link.request({ kinds: [1], limit: 2 }, () => undefined)
  await expect(asked).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await link.closed
  server.close()
})

test('R3 what a relay says instead of an answer is told', async () => {
  const { server, url } = await slow(1, ([type]) => (type === 'REQ' ? [['NOTICE', 'too many filters \ud800']] : []))
  const link = await linkTo(url, 100)
  const message = expect.stringMatching(/no answer within 100 ms; it says: too many filters \ufffd$/)
  await expect(link.request({ kinds: [1] }, () => undefined)).rejects.toMatchObject({ message })
  server.close()
})

test.each([
  ...[[null], [5], [[]], [['d', {}]], ['d']].map((tags) => ({ tags })),
  // Its pages are asked for by time.
  ...[undefined, 'soon', 1e300, 1.5, -1].map((created_at) => ({ tags: [['d', 'x']], created_at })),
])('C1 an event whose tags are none, or whose time is none, harms nothing: %j', async (lie) => {
  const { server, url } = await slow(1, ([type, what]) =>
    type === 'REQ'
      ? [
          ['EVENT', what, { ...event, ...lie }],
          ['EVENT', what, 5],
          ['EVENT', what, null],
          ['EOSE', what],
        ]
      : [],
  )
  const link = await linkTo(url, 5000)
  const heard: unknown[] = []
  await link.request({ kinds: [1], '#d': ['x'] }, (each) => heard.push(each))
  expect(heard).toEqual([])
  server.close()
})

async function unruly(hear: (socket: WebSocket, type: unknown, what: unknown) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    socket.send('["AUTH","who is there?"]')
    // What the link sends is JSON.
    socket.on('message', (data) => {
      const [type, what] = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '') as readonly unknown[]
      hear(socket, type, what)
    })
  })
  await once(server, 'listening')
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.each<[string, (socket: WebSocket) => void, RegExp]>([
  ['closes', (socket) => socket.close(1008, 'banned'), /is not there: the connection is gone; it says: banned$/],
  ['says too much at once', (socket) => socket.send('x'.repeat(5 << 20)), /is gone; Max payload size exceeded$/],
  ['hangs up', (socket) => socket.terminate(), /is not there: the connection is gone$/],
])('R3 a relay that %s while it is asked is not there, and why is told', async (_what, answer, said) => {
  const { server, url } = await unruly(answer)
  const link = await linkTo(url, 10_000)
  const asked = link.request({ kinds: [1] }, () => undefined)
  await expect(asked).rejects.toMatchObject({ message: expect.stringMatching(said) })
  server.close()
})

test('R1 of a key that a relay does not take it is told why, not that one is wanted', async () => {
  const { server, url } = await unruly((socket, type, what) => {
    const { id } = what as { readonly id: string }
    if (type === 'AUTH') socket.send(JSON.stringify(['OK', id, false, 'restricted: members only']))
    if (type === 'REQ') socket.send(JSON.stringify(['CLOSED', what, 'auth-required: who?']))
  })
  const signer = async () => ({ sign: (template: object) => ({ ...event, ...template }) })
  const link = await RelayLink.open(url, { signal: new AbortController().signal, signer, patience: 10_000 })
  await expect(link.request({ kinds: [1] }, () => undefined)).rejects.toMatchObject({
    message: expect.stringMatching(/auth-required: who\?; it does not take the key: restricted: members only$/),
    hint: 'try again, or another relay',
  })
  link.close()
  server.close()
})

test('R3 of a relay that turns everybody away it is told why', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => socket.close(1008, 'members only'))
  await once(server, 'listening')
  const link = await linkTo(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, 10_000)
  const asked = link.request({ kinds: [1] }, () => undefined)
  await expect(asked).rejects.toMatchObject({ message: expect.stringMatching(/is gone; it says: members only$/) })
  server.close()
})
