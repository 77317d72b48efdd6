import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { backOff } from '../../src/drivers/relay/back-off.ts'
import type { RelayEvent } from '../../src/drivers/relay/link.ts'
import { syncLive } from '../../src/drivers/relay/sync.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { signed } from '../conformance/chat.ts'
import { eventually, Machine, Relay } from './rig.ts'

const relays: Relay[] = []
const machines: Machine[] = []

async function relay(...switches: readonly string[]): Promise<Relay> {
  const started = await new Relay().start(...switches)
  relays.push(started)
  return started
}

async function machine(clock?: { shift: number }): Promise<Machine> {
  const started = await Machine.start(clock)
  machines.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(machines.splice(0).map((each) => each.stop()))
  await Promise.all(relays.splice(0).map((each) => each.kill()))
})

const isOnce = (ids: readonly string[]) => new Set(ids).size === ids.length

test('R1 what was saved is published once, and noted when the relay has answered', async () => {
  const [server, ana] = [await relay(), await machine()]
  const id = await ana.open()
  for (const text of ['one', 'two', 'three']) await ana.say(id, text)
  expect(await ana.sync(server)).toMatchObject({ published: 4, refused: 0 })
  expect(await ana.sync(server)).toMatchObject({ published: 0, received: 0 })
  expect(server.ids).toHaveLength(4)
})

test('R1 who dies between the answer and the note publishes again; the relay has it once', async () => {
  const [server, ana] = [await relay(), await machine()]
  const id = await ana.open()
  await ana.say(id, 'one')
  const dying = { ...ana.store, synced: () => Promise.reject(new Error('killed')) }
  await expect(ana.sync(server, {}, dying)).rejects.toThrow('killed')
  expect(server.ids).toHaveLength(2)
  expect(await ana.sync(server)).toMatchObject({ published: 2 })
  expect(server.ids).toHaveLength(2)
  expect((await ana.store.exchange(server.url)).outbox).toEqual([])
})

test('R2 two that posted while they were apart meet in the same conversation', async () => {
  const [server, ana, bo] = [await relay(), await machine(), await machine()]
  const id = await ana.open()
  await ana.sync(server)
  await bo.sync(server, { join: [id] })
  await server.kill()
  for (let n = 0; n < 5; n++) {
    await ana.say(id, `ana ${n}`)
    await bo.say(id, `bo ${n}`)
  }
  await expect(ana.sync(server)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await server.start()
  for (const each of [ana, bo, ana]) await each.sync(server)
  expect(await ana.hash(id)).toBe(await bo.hash(id))
  expect(await ana.run('show', { conversation: id })).toMatchObject({ messages: 11 })
  expect(isOnce(server.ids)).toBe(true)
})

test('R2 what is older than what was seen last is found by what stands behind it', async () => {
  const clock = { shift: -100_000 }
  const [server, ana, bo] = [await relay(), await machine(), await machine(clock)]
  const id = await ana.open()
  await ana.sync(server)
  await bo.sync(server, { join: [id] })
  for (let n = 0; n < 5; n++) await bo.say(id, `old ${n}`)
  await ana.say(id, 'now')
  await ana.sync(server, { overlap: 0 })
  await bo.sync(server)
  await ana.sync(server, { overlap: 0 })
  expect(await ana.hash(id), 'nothing newer stands behind them yet').not.toBe(await bo.hash(id))
  clock.shift = 1
  await bo.say(id, 'new')
  await bo.sync(server)
  await ana.sync(server, { overlap: 0 })
  expect(await ana.hash(id)).toBe(await bo.hash(id))
})

test.each([['--shuffle'], ['--twice'], ['--shuffle', '--twice']])(
  'R2 a relay that gives %j comes to the same conversation',
  async (...switches) => {
    const [server, ana, bo] = [await relay(...switches), await machine(), await machine()]
    const id = await ana.open()
    for (let n = 0; n < 30; n++) await ana.say(id, `message ${n}`)
    await ana.sync(server)
    expect(await bo.sync(server, { join: [id] })).toMatchObject({ received: 31 })
    expect(await bo.hash(id)).toBe(await ana.hash(id))
  },
)

test('R2 a conversation comes in pages, and what a page leaves out of a second is found by what stands behind it', async () => {
  const clock = { shift: -100 }
  const [server, ana, bo] = [await relay('--short'), await machine(clock), await machine()]
  const id = await ana.open()
  for (let n = 0; n < 40; n++) {
    // Ten in a second, seven in a page; the last one alone.
    if (n % 10 === 9) clock.shift += 10
    await ana.say(id, `message ${n}`)
  }
  await ana.sync(server)
  await bo.sync(server, { join: [id] })
  expect(await bo.hash(id)).toBe(await ana.hash(id))
})

test('R2 what is too large for one commit together is taken in by several', async () => {
  const [server, ana, bo] = [await relay(), await machine(), await machine()]
  const id = await ana.open()
  for (let n = 0; n < 10; n++) await ana.say(id, `message ${n}`)
  await ana.sync(server)
  const small = {
    ...bo.store,
    ingest: (events: readonly RelayEvent[], from: string) =>
      events.length > 3
        ? Promise.reject(new EngineError('VALUE_TOO_LARGE', 'too large'))
        : bo.store.ingest(events, from),
  }
  expect(await bo.sync(server, { join: [id] }, small)).toMatchObject({ received: 11 })
  expect(await bo.hash(id)).toBe(await ana.hash(id))
})

test('R3 live, a relay that is killed and started again is found again, and nothing is lost', async () => {
  const [server, ana, bo] = [await relay(), await machine(), await machine()]
  const id = await ana.open()
  ana.live(server)
  bo.live(server, [id])
  const isSame = async () => (await ana.hash(id)) === (await bo.hash(id))
  await ana.say(id, 'before')
  await eventually([ana, bo], isSame)
  await server.kill()
  await ana.say(id, 'ana alone')
  await bo.say(id, 'bo alone')
  await server.start()
  await eventually([ana, bo], isSame)
  await bo.say(id, 'after')
  await eventually([ana, bo], isSame)
  expect(await ana.run('show', { conversation: id })).toMatchObject({ messages: 5 })
  expect(isOnce(server.ids)).toBe(true)
})

test('R1 several relays are told apart', async () => {
  const [one, two] = [await relay(), await relay()]
  const [ana, bo, cy] = [await machine(), await machine(), await machine()]
  const id = await ana.open()
  await ana.sync(one)
  await ana.sync(two)
  await bo.sync(two, { join: [id] })
  await bo.say(id, 'bo')
  await bo.sync(two)
  await cy.sync(one, { join: [id] })
  await cy.say(id, 'cy')
  await cy.sync(one)
  for (const server of [one, two]) await ana.sync(server)
  expect(await ana.run('show', { conversation: id })).toMatchObject({ messages: 3 })
  expect([one.ids.length, two.ids.length]).toEqual([2, 2])
})

test('R1 a relay that wants to know who is there is told (NIP-42); without a key it is an error', async () => {
  const [server, ana] = [await relay('--auth'), await machine()]
  const id = await ana.open()
  await ana.say(id, 'one')
  expect(await ana.sync(server)).toMatchObject({ published: 2, refused: 0 })
  const nobody = await machine()
  await expect(nobody.sync(server, { join: [id], signer: async () => undefined })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
  expect(await nobody.sync(server, { join: [id] })).toMatchObject({ received: 2 })
})

/** Two, of whom one hears live what the other says. */
async function following(server: Awaited<ReturnType<typeof relay>>) {
  const [ana, bo] = [await machine(), await machine()]
  const id = await ana.open()
  await ana.sync(server)
  bo.live(server, [id])
  const isSame = async () => (await ana.hash(id)) === (await bo.hash(id))
  await eventually([bo], isSame)
  return { ana, bo, id, isSame }
}

test('R3 live, a relay that wants to know who is there is told, and heard', async () => {
  const server = await relay('--auth')
  const { ana, bo, id, isSame } = await following(server)
  await ana.say(id, 'live')
  await ana.sync(server)
  await eventually([ana, bo], isSame)
  expect(await bo.run('show', { conversation: id })).toMatchObject({ messages: 2 })
})

test('R3 live, a relay that ends what it was asked for is asked again', async () => {
  const server = await relay('--once')
  const { ana, bo, id, isSame } = await following(server)
  for (const text of ['one', 'two', 'three']) {
    await ana.say(id, text)
    await ana.sync(server)
    await eventually([ana, bo], isSame)
  }
  expect(await bo.run('show', { conversation: id })).toMatchObject({ messages: 4 })
})

test('C1 a relay that lies is not believed', async () => {
  const ana = await machine()
  const id = await ana.open()
  const good = signed(1, 'good', { tags: [['E', id]] })
  const lies = [
    { ...good, content: 'forged' },
    { ...good, sig: 'f'.repeat(128) },
    signed(1, 'not asked for', { tags: [['d', 'other']] }),
    { tags: 'x' },
    null,
  ]
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const [type, sub] = JSON.parse(data.toString()) as readonly [string, unknown]
      if (type === 'EVENT') socket.send(JSON.stringify(['OK', (sub as { id: string }).id, true, '']))
      if (type !== 'REQ') return
      for (const event of [...lies, good]) socket.send(JSON.stringify(['EVENT', sub, event]))
      socket.send('no json')
      socket.send(JSON.stringify(['EOSE', sub]))
    }),
  )
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const liar = Object.assign(new Relay(), { url: `ws://127.0.0.1:${port}` })
  expect(await ana.sync(liar)).toMatchObject({ received: 1 })
  expect(await ana.run('show', { conversation: id })).toMatchObject({ messages: 2 })
  expect(await ana.run('list', {})).toHaveLength(1)
  expect(await ana.run('quarantine', {})).toMatchObject([{ reason: 'id' }, { reason: 'signature' }])
  for (const socket of server.clients) socket.terminate()
  server.close()
})

test('R1 what a relay puts off is offered again, and what it refuses is not', async () => {
  const [server, ana] = [await relay('--busy'), await machine()]
  const id = await ana.open()
  await ana.say(id, 'spam')
  const why = 'rate-limited: slow down'
  expect(await ana.sync(server)).toMatchObject({ published: 0, refused: 0, waiting: 2, why })
  expect(await ana.sync(server)).toMatchObject({ published: 1, refused: 1, waiting: 0, why: 'blocked: spam \ufffd' })
  expect(await ana.sync(server)).toMatchObject({ published: 0, refused: 0, waiting: 0, why: null })
})

test('R3 live, what a relay puts off is offered again though nobody says anything', async () => {
  const [server, ana] = [await relay('--busy'), await machine()]
  await ana.open()
  ana.live(server)
  await eventually([ana], async () => (await ana.store.exchange(server.url)).outbox.length === 0)
  expect(server.ids).toHaveLength(1)
})

test('C1 a message with a secret is not signed', async () => {
  const ana = await machine()
  const id = await ana.open()
  const secret = `npm_${'a1B2c3D4e5F6'.repeat(3)}`
  await expect(ana.say(id, `the token is ${secret}`)).rejects.toThrow('INPUT_INVALID')
  expect(await ana.run('show', { conversation: id })).toMatchObject({ messages: 1 })
})

test('R3 a relay that refuses what it is asked is tried later each time', async () => {
  const [server, ana] = [await relay('--auth'), await machine()]
  const [stop, slept] = [new AbortController(), new Array<number>()]
  const random = () => {
    slept.push(performance.now())
    if (slept.length === 4) stop.abort()
    return 1
  }
  const nobody = async () => undefined
  const options = { signal: stop.signal, signer: nobody, patience: 5000, join: ['x'], overlap: 0, random }
  await syncLive(server.url, ana.store, { ...options, tell: () => undefined })
  const [first = 0, , , last = 0] = slept
  expect(last - first, '250, 500 and 1000 ms').toBeGreaterThan(1700)
})

test('R3 tries come later each time, up to a minute', () => {
  expect([0, 1, 2, 3].map((failures) => backOff(failures, 1))).toEqual([250, 500, 1000, 2000])
  expect(backOff(0, 0)).toBe(125)
  expect(backOff(1000, 1)).toBe(60_000)
})
