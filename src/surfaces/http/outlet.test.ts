import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Outlet } from './outlet.ts'

/** A stream to a client that does not read yet. */
async function begun() {
  const server = http.createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // An address of TCP is no text.
  const { port } = server.address() as AddressInfo
  const asked = once(server, 'request')
  const request = http.get({ host: '127.0.0.1', port })
  const answered = once(request, 'response')
  const [, response] = (await asked) as [http.IncomingMessage, http.ServerResponse]
  const outlet = new Outlet(response, 'ndjson', Date.now)
  const [client] = (await answered) as [http.IncomingMessage]
  return { server, response, outlet, client }
}

test('O1: what was kept back for a slow client reaches it before the end, and so does the last message', async () => {
  const { server, response, outlet, client } = await begun()
  const filling = 'x'.repeat(100_000)
  let sent = 0
  while (!response.writableNeedDrain) void outlet.send({ type: 'commit', data: { n: sent++, filling } })
  void outlet.send({ type: 'commit', data: { n: sent++ } })
  outlet.close({ type: 'result', data: { reason: 'over' } })
  const lines = (await text(client)).trimEnd().split('\n')
  const got = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly n?: number })
  expect(got.slice(0, -1).map(({ n }) => n)).toEqual(Array.from({ length: sent }, (_, n) => n))
  expect(got.at(-1)).toEqual({ type: 'result', reason: 'over' })
  server.close()
})
