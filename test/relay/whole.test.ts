/* R4: the whole past of a conversation comes, whenever the store began to take part in it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChatStore } from '../../src/drivers/relay/exchange.ts'
import { eventually, Machine, Relay } from './rig.ts'

let server: Relay
let machines: readonly [ana: Machine, bo: Machine]
let old: string

/** Ana, whose clock is two days behind, has talked; bo has been at this relay since, about something else. */
beforeEach(async () => {
  server = await new Relay().start()
  machines = [await Machine.start({ shift: -172_800 }), await Machine.start()]
  const [ana, bo] = machines
  old = await ana.open()
  for (const text of ['one', 'two']) await ana.run('post', { conversation: old, text, signed: true })
  await ana.sync(server)
  await bo.open()
  await bo.sync(server)
  await bo.sync(server)
})

afterEach(async () => {
  await Promise.all(machines.map((each) => each.stop()))
  await server.kill()
})

/** Takes in the oldest of these events alone, and is killed. */
const dying = (store: ChatStore, ids: readonly string[]): ChatStore => ({
  ...store,
  ingest: async (events, relay) => {
    const [first] = events.filter(({ id }) => ids.includes(id))
    if (first === undefined) return store.ingest(events, relay)
    await store.ingest([first], relay)
    throw new Error('killed')
  },
})

test('a comment names kinds and authors of its root and of what it answers (NIP-22)', async () => {
  const [ana, bo] = machines
  await bo.sync(server, { join: [old] })
  const { event: first } = (await bo.run('post', { conversation: old, text: 'why?', signed: true })) as {
    readonly event: string
  }
  await bo.sync(server)
  await ana.sync(server)
  const { event: reply } = (await ana.run('post', { conversation: old, text: 'so', reply: first, signed: true })) as {
    readonly event: string
  }
  await ana.sync(server)
  const [root, question, answer] = [old, first, reply].map((id) => server.event(id))
  const named = (event: typeof root) => event?.tags.filter(([name = '']) => /^[kp]$/i.test(name))
  expect(named(question)).toEqual([
    ['K', '11'],
    ['P', root?.pubkey],
    ['k', '11'],
    ['p', root?.pubkey],
  ])
  expect(named(answer)).toEqual([
    ['K', '11'],
    ['P', root?.pubkey],
    ['k', '1111'],
    ['p', question?.pubkey],
  ])
})

test('R4 who is killed while it joins gets the rest the next time', async () => {
  const [ana, bo] = machines
  await expect(bo.sync(server, { join: [old] }, dying(bo.store, server.ids.slice(0, 3)))).rejects.toThrow('killed')
  await bo.sync(server)
  expect(await bo.hash(old)).toBe(await ana.hash(old))
})

test('R4 a conversation that came another way is asked for whole, once', async () => {
  const [ana, bo] = machines
  const { outbox } = await ana.store.exchange('ws://elsewhere')
  await bo.store.ingest(outbox.slice(0, 1), 'file')
  expect(await bo.sync(server)).toMatchObject({ received: 2 })
  expect(await bo.hash(old)).toBe(await ana.hash(old))
  expect((await bo.store.exchange(server.url)).fresh).toEqual([])
})

test('R4 one that comes another way while somebody listens is asked for whole, too', async () => {
  const [ana, bo] = machines
  bo.live(server)
  const { outbox } = await ana.store.exchange('ws://elsewhere')
  await bo.store.ingest(outbox.slice(0, 1), 'file')
  const hash = await ana.hash(old)
  await eventually([bo], async () => (await bo.hash(old)) === hash)
})
