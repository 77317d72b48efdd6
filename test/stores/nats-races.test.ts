/* What a cluster of NATS servers lets happen: messages behind one that has a message behind it already. */
import { jetstream } from '@nats-io/jetstream'
import { headers, connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { Chain, START } from '../../src/kernel/log/chain.ts'
import { replay, scanLog } from '../../src/kernel/log/replay.ts'
import type { Appended, Log, Position } from '../../src/kernel/ports.ts'
import { chainOf, sha256, together } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'

const WRITERS = 12
const ROUNDS = 20

describe.skipIf(!hasNats)('a cluster of NATS servers', () => {
  let servers: Servers
  let nats: NatsConnection
  beforeAll(async () => {
    servers = await startNats(3)
    nats = await connect({ servers: servers.nodes.map(({ address }) => address) })
  })
  afterAll(async () => {
    await nats.close()
    await servers.stop()
  })

  const open = async () => (await openNats({ url: servers.url, create: true, sha256, warn: () => undefined })).log
  const append = async (log: Log, session: string, after: Position, [count, tag]: readonly [number, string]) =>
    log.append(session, together(...chainOf(count, after, tag)), after, { durability: 'durable' })

  async function seenBy(log: Log, session: string, from: Position = START) {
    const chain = new Chain(from, sha256)
    const values: unknown[] = []
    for await (const commits of replay(log, session, chain))
      values.push(...commits.map(({ events }) => events[0]?.data))
    return { chain, values }
  }

  /** As a writer who stood behind message `behind` would, had the servers not looked. */
  async function late(session: string, count: number, after: Position, behind: number) {
    const lines = together(...chainOf(count, after, 'late'))
    const made = headers()
    const told = {
      First: after.seq + 1,
      Last: after.seq + count,
      Hash: lines.lines.at(-1)?.hash,
      Behind: behind,
      Segment: after.segment,
      Offset: after.offset,
    }
    for (const [name, value] of Object.entries(told)) made.set(`Steadfold-${name}`, String(value))
    return (await jetstream(nats).publish(`steadfold.default.log.${session}`, lines.bytes, { headers: made })).seq
  }

  test('J2 J4 of many that append behind one position at once one wins, in every round', async () => {
    const logs = await Promise.all(Array.from({ length: WRITERS }, open))
    const [first] = logs
    if (first === undefined) throw new Error('no writers')
    await first.create('r')
    let position = START
    for (let round = 0; round < ROUNDS; round++) {
      const after = position
      const answers: readonly Appended[] = await Promise.all(
        logs.map((log, i) => append(log, 'r', after, [1 + (i % 3), `${round} ${i} `])),
      )
      const won = answers.filter((answer) => answer.kind === 'appended')
      expect(won).toHaveLength(1)
      position = won[0]?.position ?? position
      for (const log of logs) expect((await seenBy(log, 'r', after)).chain.position).toEqual(position)
    }
    const { chain } = await seenBy(await open(), 'r')
    expect(chain.position).toEqual(position)
    process.stderr.write(`nats cluster: ${ROUNDS} rounds of ${WRITERS} writers, ${chain.races} lost races in the log\n`)
    await Promise.all(logs.map((log) => log.close()))
  })

  test('J4 L3 messages that lost stay in the stream and do not count, wherever a reader begins', async () => {
    const log = await open()
    await log.create('s')
    const stands: Position[] = [START]
    const streams: number[] = [0]
    let lost = 0
    for (let i = 0; i < 40; i++) {
      const after = stands.at(-1) ?? START
      let answer = await append(log, 's', after, [1 + (i % 3), ''])
      if (answer.kind === 'conflict') {
        expect(await log.peek('s', after)).toHaveLength(0)
        answer = await append(log, 's', after, [1 + (i % 3), ''])
      }
      if (answer.kind === 'conflict') throw new Error('conflict')
      stands.push(answer.position)
      const back = i % 4
      if (back === 0 || i < back) continue
      // Longer than what won, as long, or shorter; behind the last place or one before it.
      const at = stands.length - 1 - back
      await late('s', 1 + (i % 5), stands[at] ?? START, streams[at] ?? 0)
      lost++
    }
    const fresh = await open()
    for (const reader of [log, fresh])
      for (const position of stands) {
        await reader.release?.('s')
        const { chain } = await seenBy(reader, 's', position)
        expect(chain.damage).toBeUndefined()
        expect(chain.position).toEqual(stands.at(-1))
        expect(await reader.stands('s', position)).toBe('yes')
      }
    const chain = new Chain(START, sha256)
    for await (const _ of scanLog(fresh, 's', chain)) continue
    expect(chain.races).toBeGreaterThanOrEqual(lost)
    await Promise.all([log.close(), fresh.close()])
  })
})
