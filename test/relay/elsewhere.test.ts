/* R5: what others say elsewhere of a conversation begins none here. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RelayLink } from '../../src/drivers/relay/link.ts'
import { signed, START_S } from '../conformance/chat.ts'
import { eventually, Machine, Relay } from './rig.ts'

let server: Relay
let ana: Machine
let id: string

beforeEach(async () => {
  server = await new Relay().start()
  ana = await Machine.start()
  id = await ana.open()
  await ana.sync(server)
})

afterEach(async () => {
  await ana.stop()
  await server.kill()
})

/** Of one thread that quotes another, of a name that somebody else gives, and one that is an answer. */
async function others(): Promise<void> {
  const options = { signal: new AbortController().signal, signer: async () => undefined, patience: 10_000 }
  const link = await RelayLink.open(server.url, options)
  const elsewhere = 'e'.repeat(64)
  const now = Math.floor(Date.now() / 1000)
  const tags = [
    [
      ['e', elsewhere, '', 'root'],
      ['e', id, '', 'mention'],
    ],
    [
      ['d', 'release'],
      ['e', id],
    ],
    [
      ['E', elsewhere],
      ['e', id],
    ],
    [['E', id]],
  ]
  const events = tags.map((each, n) => signed(n + 1, `said ${n}`, { tags: each, at: now - START_S }))
  for (const event of events) expect(await link.publish(event)).toMatchObject({ ok: true })
  link.close()
}

const conversations = async () =>
  ((await ana.run('list', {})) as readonly { readonly id: string }[]).map((row) => row.id)

test('R5 who names a conversation of ours elsewhere begins none here', async () => {
  await others()
  expect(await ana.sync(server)).toMatchObject({ received: 1 })
  expect(await conversations()).toEqual([id])
  expect(await ana.sync(server, { overlap: Infinity })).toMatchObject({ received: 0 })
})

test('R5 nor while somebody listens', async () => {
  ana.live(server)
  await others()
  const messages = async () => ((await ana.run('show', { conversation: id })) as { readonly messages: number }).messages
  await eventually([ana], async () => (await messages()) === 2)
  expect(await conversations()).toEqual([id])
})
