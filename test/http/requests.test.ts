/* What a careless or hostile program can send: bodies, lengths, headers, paths, methods, and heads without an end. */
import * as net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Served } from './served.ts'

let served: Served
const SESSION = '/v1/sessions/a'
const write = (headers: Readonly<Record<string, string | undefined>>, body: unknown = { path: 'data.x', value: 1 }) =>
  served.ask('POST', `${SESSION}/state.set`, { headers, body })
const read = (headers: Readonly<Record<string, string | undefined>>) => served.ask('GET', '/v1/sessions', { headers })

beforeAll(async () => {
  served = await Served.open()
  await (await served.workspace.createSession({ name: 'a' })).close()
})
afterAll(() => served.remove())

describe('B. what a request carries', () => {
  test('B1. only JSON by its name: no form, no text, nothing compressed', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '',
      'application/jsonp',
    ])
      expect((await write({ 'Content-Type': type })).status, type).toBe(415)
    expect((await write({ 'Content-Encoding': 'br' })).status).toBe(415)
    for (const charset of ['UTF-8', '"utf-8"'])
      expect((await write({ 'Content-Type': `application/json; charset=${charset}` })).status).toBe(200)
  })

  test('B2. a length that says too much is refused before a byte is read', async () => {
    const reply = await served.ask('POST', `${SESSION}/state.set`, {
      headers: { 'Content-Type': 'application/json', 'Content-Length': '5000000000' },
    })
    expect(reply.status).toBe(413)
  })

  test('B2. a body without a length is read up to the limit', async () => {
    const piece = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`
    const head = `POST ${SESSION}/state.set HTTP/1.1\r\nHost: ${served.host}\r\nConnection: close\r\n`
    const more = `Authorization: Bearer ${served.record.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const reply = await served.raw(head + more + piece.repeat(200))
    expect([413, 0]).toContain(reply.status)
    expect((await read({})).status).toBe(200)
  })

  test('B3. deep, broken and poisonous JSON is refused, and changes nothing for others', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const bodies = [
      deep,
      '{',
      '[]',
      '"x"',
      '{"a":1,"a":2}',
      '{"__proto__":{"p":1}}',
      '{"constructor":{"prototype":{"p":1}}}',
    ]
    for (const body of bodies) {
      const { status } = await write({}, body)
      expect(status, body.slice(0, 40)).toBeGreaterThanOrEqual(400)
      expect(status, body.slice(0, 40)).toBeLessThan(500)
    }
    expect(Reflect.get({}, 'p')).toBeUndefined()
  })

  test('B4. lengths that contradict each other are refused', async () => {
    const head = `POST ${SESSION}/state.set HTTP/1.1\r\nHost: ${served.host}\r\nContent-Type: application/json\r\n`
    const reply = await served.raw(`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)
    expect(reply.status).toBe(400)
  })

  test('B5. large and many headers are refused', async () => {
    const large = await read({ 'X-A': 'a'.repeat(100_000) })
    expect(large.status).toBe(431)
  })
})

describe('F. paths and methods', () => {
  test('F1. no path reaches the file system', async () => {
    const paths = [
      '/../../../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/v1/sessions/..%2f..%2f..%2fetc%2fpasswd',
      '/v1/sessions/%00',
      '/v1/sessions/__proto__',
      '/v1/sessions/constructor',
      '/assets/../../package.json',
      '/v1/sessions/a/state?path=__proto__',
    ]
    for (const each of paths) {
      const { status, text } = await served.ask('GET', each)
      expect(status, each).toBeGreaterThanOrEqual(400)
      expect(status, each).toBeLessThan(500)
      expect(text).not.toMatch(/root:|"name": "steadfold"/)
    }
  })

  test('F3. methods are what they are: no other ones, no override', async () => {
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await served.ask(method, '/v1/sessions')).status, method).toBe(405)
    expect((await served.ask('HEAD', '/v1/stream')).status).toBe(405)
    expect((await served.ask('HEAD', '/v1/sessions')).status).toBe(200)
    const override = { 'X-HTTP-Method-Override': 'POST' }
    expect((await served.ask('GET', `${SESSION}/state.set?_method=POST`, { headers: override })).status).toBe(404)
  })

  test('F4. no protocol is upgraded', async () => {
    const Upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'eA==',
    }
    const socket = net.connect(served.port, '127.0.0.1')
    const head = Object.entries({ Host: served.host, ...Upgrade }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET /v1/stream HTTP/1.1\r\n${head.join('')}\r\n`)
    const [first] = (await new Promise<Buffer>((resolve) => socket.once('data', resolve))).toString().split('\r\n')
    socket.destroy()
    expect(first).toBe('HTTP/1.1 401 Unauthorized')
  })
})

test('who sends the head of a request for ever is cut off', async () => {
  const socket = net.connect(served.port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(`GET /v1 HTTP/1.1\r\nHost: ${served.host}\r\n`)
  const drip = setInterval(() => socket.write('X-a: b\r\n'), 200)
  await closed
  clearInterval(drip)
})
