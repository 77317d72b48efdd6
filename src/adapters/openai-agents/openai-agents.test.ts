import { expect, test } from 'vitest'
import { long, two } from '../../../test/adapters/two.ts'
import type { Session } from '../../kernel/session.ts'
import { SteadfoldConversation } from './openai-agents.ts'

const say = (content: string) => ({ role: 'user', content })

async function conversations() {
  const { sessions } = await two()
  const [one, other] = sessions
  return {
    sessions,
    one: new SteadfoldConversation(one, { sessionId: 'c/~1' }),
    other: new SteadfoldConversation(other, { sessionId: 'c/~1' }),
  }
}

test('O1: items come back in order, the last ones when fewer are asked for, large ones as they were', async () => {
  const { one, other, sessions } = await conversations()
  expect([await one.getSessionId(), await one.getItems(), await one.popItem()]).toEqual(['c/~1', [], undefined])
  const items = [say('a'), say(long('b')), say('c')]
  await one.addItems(items)
  await one.addItems([])
  expect([await other.getItems(), await other.getItems(2), await other.getItems(0)]).toEqual([
    items,
    items.slice(1),
    [],
  ])
  expect(JSON.stringify(sessions[0].stored).length).toBeLessThan(10_000)
  await other.clearSession()
  expect(await one.getItems()).toEqual([])
})

test('O1: two who add keep all, two who pop never get the same', async () => {
  const { one, other } = await conversations()
  const both = Array.from({ length: 20 }, (_, index) => ({ by: index % 2 === 0 ? one : other, text: `${index}` }))
  await Promise.all(both.map(({ by, text }) => by.addItems([say(text), say(`${text}!`)])))
  const texts = (await one.getItems()).map(({ content }) => String(content))
  expect(texts.toSorted()).toEqual(both.flatMap(({ text }) => [text, `${text}!`]).toSorted())
  for (const [at, text] of texts.entries()) if (!text.endsWith('!')) expect(texts[at + 1]).toBe(`${text}!`)
  const popped = await Promise.all(both.map(({ by }) => by.popItem()))
  expect(new Set(popped.map((item) => item?.['content'])).size).toBe(20)
  expect(await one.getItems()).toHaveLength(20)
})

test('O1: however many add at once, and whatever else is written to the session meanwhile, nobody is turned away', async () => {
  const { one, other, sessions } = await conversations()
  let isOver = false
  const busy = async (session: Session) => {
    for (let n = 0; !isOver; n++) await session.run('state.set', { path: '$.data.n', value: n })
  }
  const others = sessions.map(busy)
  const adding = Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? one : other).addItems([say(`${n}`)]))
  await Promise.all(adding).finally(() => (isOver = true))
  await Promise.all(others)
  expect(await one.getItems()).toHaveLength(120)
})

test('O2: a transaction counts once by its id, whoever repeats it', async () => {
  const { one, other } = await conversations()
  const append = { operationId: 'op-1', transaction: { type: 'append_items' as const, items: [say('a'), say('b')] } }
  await Promise.all([one, other, one].map((each) => each.applyHistoryTransaction(append)))
  expect(await one.getItems()).toEqual([say('a'), say('b')])
  const others = { ...append, transaction: { ...append.transaction, items: [say('c')] } }
  await expect(other.applyHistoryTransaction(others)).rejects.toMatchObject({ code: 'KEY_REUSED' })
  const suffix = { type: 'replace_suffix' as const, expectedSuffix: [say('b')], replacement: [say('B'), say('C')] }
  await other.applyHistoryTransaction({ operationId: 'op-2', transaction: suffix })
  expect(await one.getItems()).toEqual([say('a'), say('B'), say('C')])
  const stale = one.applyHistoryTransaction({ operationId: 'op-3', transaction: suffix })
  await expect(stale).rejects.toMatchObject({ code: 'TEST_FAILED' })
  const none = { operationId: 'op-4', transaction: { type: 'append_items' as const, items: [] } }
  await new SteadfoldConversation((await two()).sessions[0], { sessionId: 'new' }).applyHistoryTransaction(none)
})

test('O1: a compaction takes the place of what was there', async () => {
  const { one, other } = await conversations()
  await one.addItems([say('a'), say('b'), say('c')])
  await other.replaceHistoryWithCompaction([say('summary'), say('c')])
  expect(await one.getItems()).toEqual([say('summary'), say('c')])
})

test('O2: a transaction that comes again is the same whatever the order of its members, and under any id', async () => {
  const { one, other } = await conversations()
  const append = (...items: object[]) => ({ type: 'append_items' as const, items: items.map((item) => ({ ...item })) })
  for (const operationId of ['op-1', 'toString']) {
    await one.applyHistoryTransaction({ operationId, transaction: append({ role: 'user', content: 'a' }) })
    await other.applyHistoryTransaction({ operationId, transaction: append({ content: 'a', role: 'user' }) })
  }
  expect(await one.getItems()).toEqual([say('a'), say('a')])
})

test('O3: items with a secret are compared as they are kept', async () => {
  const { one, other, sessions } = await conversations()
  const secret = { ...say(`push with ghp_${'aB3'.repeat(12)}`), password: 12_345_678 }
  const kept = { ...say('push with [redacted:github-token]'), password: '[redacted:named-secret]' }
  await one.addItems([say('Enter the password:'), secret])
  expect(await other.getItems()).toEqual([say('Enter the password:'), kept])
  expect(other.prepareHistoryItemsForPersistenceComparison([say('a'), secret])).toEqual([say('a'), kept])
  const transaction = { type: 'replace_suffix' as const, expectedSuffix: [secret], replacement: [say('b')] }
  await other.applyHistoryTransaction({ operationId: 'op-1', transaction })
  expect(await one.getItems()).toEqual([say('Enter the password:'), say('b')])
  expect(sessions[1].get('$.session.redactions')).toEqual({ 'github-token': 1, 'named-secret': 1 })
})

test('O4: bytes come back as the data URL that a run makes of them', async () => {
  const { one, other } = await conversations()
  const file = (data: unknown) => ({ content: [{ type: 'input_file', file: { data, mediaType: 'application/pdf' } }] })
  await one.addItems([file(Buffer.from('hi')), { data: new Uint8Array([255]) }])
  const kept = [file('data:application/pdf;base64,aGk='), { data: 'data:application/octet-stream;base64,/w==' }]
  expect(await other.getItems()).toEqual(kept)
  const transaction = {
    type: 'replace_suffix' as const,
    expectedSuffix: [{ data: new Uint8Array([255]) }],
    replacement: [],
  }
  await other.applyHistoryTransaction({ operationId: 'op-1', transaction })
  expect(await one.getItems()).toEqual(kept.slice(0, 1))
})
