import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

const message = (method: string, text = ''): JSONRPCMessage => ({ jsonrpc: '2.0', method, params: { text } })

const methodsBehind = async (recent: Recent, id: string) => {
  const methods: unknown[] = []
  const send = async (_: string, sent: JSONRPCMessage) => void methods.push('method' in sent && sent.method)
  await recent.replayEventsAfter(id, { send })
  return methods
}

test('a stream goes on behind the message that came last on it', async () => {
  const recent = new Recent()
  const first = await recent.storeEvent('a', message('1'))
  await recent.storeEvent('b', message('2'))
  await recent.storeEvent('a', message('3'))
  expect(await recent.getStreamIdForEventId(first)).toBe('a')
  expect(await methodsBehind(recent, first)).toEqual(['3'])
})

test('one that comes back behind what is kept gets what is kept', async () => {
  const recent = new Recent()
  const first = await recent.storeEvent('_GET_stream', message('first'))
  for (let i = 0; i < 499; i++) await recent.storeEvent(`b_${i}`, message('answer'))
  await recent.storeEvent('_GET_stream', message('last'))
  expect(await recent.getStreamIdForEventId(first)).toBe('_GET_stream')
  expect(await methodsBehind(recent, first)).toEqual(['last'])
})

test.each(['', 'a', 'a_', '_1', 'a_0', 'a_2', 'a_1x', 'a_1.5'])('%j names no message', async (id) => {
  const recent = new Recent()
  await recent.storeEvent('a', message('1'))
  expect(await recent.getStreamIdForEventId(id)).toBe(undefined)
})

test('what is large is kept for less long', async () => {
  const recent = new Recent()
  const first = await recent.storeEvent('a', message('first'))
  for (const method of ['1', '2', '3']) await recent.storeEvent('a', message(method, 'x'.repeat(500_000)))
  expect(await methodsBehind(recent, first)).toEqual(['2', '3'])
  await recent.storeEvent('a', message('4', 'x'.repeat(5_000_000)))
  expect(await methodsBehind(recent, first)).toEqual(['4'])
})
