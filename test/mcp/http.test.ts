/** `/mcp` in the daemon: the same doors as for everything else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Served } from '../http/served.ts'
import { fixture } from './fixture/offer.ts'
import { serveFixture } from './fixture/serve.ts'
import { reach } from './reach.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const Accept = 'application/json, text/event-stream'

describe('/mcp', () => {
  let served: Served
  beforeAll(async () => {
    served = await Served.open()
  })
  afterAll(() => served.remove())

  const post = (headers: Readonly<Record<string, string | undefined>>, body: unknown = initialize) =>
    served.ask('POST', '/mcp', { headers: { Accept, ...headers }, body })

  test('answers with a token, and to nobody without', async () => {
    const { status, headers } = await post({})
    expect(status).toBe(200)
    expect(headers['mcp-session-id']).toMatch(/^[\w-]{20,}$/)
    expect((await post({ Authorization: undefined })).status).toBe(401)
    expect((await post({ Authorization: 'Bearer wrong' })).status).toBe(401)
  })

  test('G1, G2: is not there for a rebound name, nor for pages of others', async () => {
    expect((await post({ Host: 'evil.example' })).status).toBe(421)
    expect((await post({ Origin: 'http://evil.example' })).status).toBe(403)
    expect((await post({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  })

  test('takes JSON only, and only what is a message', async () => {
    expect((await post({ 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await post({}, '{"jsonrpc":')).status).toBe(422)
    expect((await post({}, { hello: 'world' })).status).toBe(400)
  })

  test('an initialize that lacks something is told what it takes: it was told to begin with initialize', async () => {
    const { status, text } = await post({}, { ...initialize, params: { protocolVersion: '2025-11-25' } })
    expect(status).toBe(400)
    expect(text).toContain('a clientInfo with name and version')
  })

  test('a connection that is over, or was never begun, is told to begin', async () => {
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await post({}, list)).status).toBe(400)
    const gone = await post({ 'Mcp-Session-Id': '00000000-0000-4000-8000-000000000000' }, list)
    expect(gone.status).toBe(404)
    expect(gone.text).toContain('initialize')
    expect((await served.ask('DELETE', '/mcp')).status).toBe(405)
  })

  test('a revision that nobody knows is answered with those that are served', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'tools/list' }
    const { status, text } = await post(headers, {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/list',
      params: { _meta: meta },
    })
    expect(status).toBe(400)
    expect(text).toContain('2026-07-28')
  })
})

test('H2: of a connection that was refused when it began nothing stays', async () => {
  let followers = 0
  const followList = () => {
    followers++
    return () => void followers--
  }
  const { url, close } = await serveFixture({ ...fixture, followList })
  const begin = async (accept: string) => {
    const headers = { 'Content-Type': 'application/json', Accept: accept }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) })).status
  }
  expect(await begin(Accept)).toBe(200)
  const before = followers
  expect(await begin('application/json')).toBe(406)
  expect(followers).toBe(before)
  await close()
  expect(followers).toBe(0)
})

test('H3: what was asked before it ends is answered, and what is asked then is refused', async () => {
  let called = () => {}
  let release = () => {}
  const begun = new Promise<void>((resolve) => (called = resolve))
  const held = new Promise<void>((resolve) => (release = resolve))
  const call: typeof fixture.call = async () => {
    called()
    await held
    return { content: [{ type: 'text', text: 'it was done' }] }
  }
  const { url, close } = await serveFixture({ ...fixture, call })
  const headers = { 'Content-Type': 'application/json', Accept }
  const send = (id: string | null, body: unknown) => {
    const session = id === null ? {} : { 'Mcp-Session-Id': id }
    return fetch(url, { method: 'POST', headers: { ...headers, ...session }, body: JSON.stringify(body) })
  }
  const id = (await send(null, initialize)).headers.get('mcp-session-id')
  const params = { name: fixture.tools[0]?.name, arguments: {} }
  const asked = send(id, { jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  await begun
  const closed = close()
  expect((await send(null, initialize)).status).toBe(503)
  release()
  expect(await (await asked).text()).toContain('it was done')
  await closed
})

describe.each(['legacy', 'auto'] as const)('a daemon with a client that listens, era %s', (era) => {
  test('ends when it is asked to', async () => {
    const { client, served } = await reach('http', era)
    if (era === 'auto') await client.listen({ resourceSubscriptions: ['steadfold://inbox'] })
    else await client.subscribeResource({ uri: 'steadfold://inbox' })
    await served.remove()
    await client.close().catch(() => undefined)
  })
})
