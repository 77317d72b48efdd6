import { expect, test } from 'vitest'
import { syncLive } from '../../src/drivers/relay/sync.ts'
import { isError } from '../../src/kernel/error.ts'
import { eventually, Machine, Relay } from './rig.ts'

test.each([
  ['session.end', {}, 'SESSION_NOT_WRITABLE'],
  ['session.depart', { from: { place: 'a', device: 'a' } }, 'SESSION_DEPARTED'],
])('R4 live, it is over when nothing can be taken in any more: %s', async (ending, input, code) => {
  const [server, ana] = [await new Relay().start(), await Machine.start()]
  const id = await ana.open()
  const asked: Error[] = []
  const stop = new AbortController()
  const signer = async () => undefined
  const options = { signal: stop.signal, signer, patience: 5000, join: [], overlap: 0, random: () => 0 }
  const live = syncLive(server.url, ana.store, { ...options, tell: (what) => isError(what) && asked.push(what) })
  const over = live.catch((error: unknown) => error)
  await eventually([ana], async () => (await ana.store.exchange(server.url)).fresh.length === 0)
  await ana.session.run(ending, input)
  const bo = await Machine.start()
  await bo.sync(server, { join: [id] })
  await bo.say(id, 'one more')
  await bo.sync(server)
  expect(await over).toMatchObject({ code })
  expect(asked).toEqual([])
  await Promise.all([ana.stop(), bo.stop(), server.kill()])
})

test('R1 what a relay refused is offered again when everything is looked at, once', async () => {
  const [server, ana] = [await new Relay().start('--busy'), await Machine.start()]
  const id = await ana.open()
  await ana.say(id, 'spam')
  await ana.sync(server)
  expect(await ana.sync(server)).toMatchObject({ published: 1, refused: 1 })
  expect(await ana.sync(server, { overlap: Infinity })).toMatchObject({ refused: 1, why: 'blocked: spam \ufffd' })
  const { seq } = ana.session
  expect(await ana.sync(server, { overlap: Infinity })).toMatchObject({ published: 0, refused: 1 })
  expect(ana.session.seq).toBe(seq)
  await server.kill()
  await server.start()
  expect(await ana.sync(server)).toMatchObject({ published: 0, refused: 0 })
  expect(await ana.sync(server, { overlap: Infinity })).toMatchObject({ published: 1, refused: 0, why: null })
  expect(await ana.sync(server, { overlap: Infinity })).toMatchObject({ published: 0, refused: 0 })
  expect(server.ids).toHaveLength(2)
  await Promise.all([ana.stop(), server.kill()])
})
