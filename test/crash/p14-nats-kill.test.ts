/* kill -9 of NATS under four writers, and a start each time. */
import { afterEach, describe, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { verifySession } from '../../src/kernel/verify.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'
import { consume, keysIn, workspaceOn, write } from '../stores/writers.ts'

const SOAK = process.env['SOAK'] === '1'
const KILLS = SOAK ? 6 : 2
const WRITERS = 4
const BETWEEN = SOAK ? 400 : 60

const nap = () => new Promise((resolve) => setTimeout(resolve, 20))
const open = (url: string) => openNats({ url, create: true, sha256, warn: () => undefined })

describe.skipIf(!hasNats)('NATS', () => {
  let servers: Servers | undefined
  afterEach(() => servers?.stop())

  test('J3 what was acknowledged survives kill -9 of the server, is there once, and no consumer skips anything', async () => {
    const { url, nodes } = (servers = await startNats())
    const first = workspaceOn((await open(url)).log)
    const { id } = await first.createSession({ name: 'shared' })
    const hosts = await Promise.all(Array.from({ length: WRITERS }, async () => workspaceOn((await open(url)).log)))
    const sessions = await Promise.all(hosts.map((host) => host.session(id)))
    const consumer = consume(await first.session(id))
    let over = false
    const writing = write(sessions, () => over)
    const more = async () => {
      const from = consumer.seen.length
      while (consumer.seen.length < from + BETWEEN) await nap()
    }
    for (let kill = 0; kill < KILLS; kill++) {
      await more()
      await nodes[0]?.kill()
      await nodes[0]?.start()
    }
    await more()
    over = true
    const { acknowledged, unsure, longest } = await writing
    const again = workspaceOn((await open(url)).log)
    const session = await again.session(id)
    const keys = await keysIn(session)
    while (consumer.seen.length < session.seq) await nap()
    await consumer.stop()
    const lost = [...acknowledged].filter((key) => !keys.has(key))
    const twice = [...keys.values()].filter((times) => times > 1)
    process.stderr.write(
      `nats: ${KILLS} kills, ${acknowledged.size} acknowledged, ${lost.length} lost, ${twice.length} twice, ${unsure.size} unsure, longest wait ${Math.round(longest)} ms\n`,
    )
    expect({ lost, twice }).toEqual({ lost: [], twice: [] })
    expect(consumer.seen).toEqual(Array.from({ length: session.seq }, (_, i) => i + 1))
    expect(await verifySession(again.kernel, id)).toMatchObject({ ok: true, torn: 0, races: 0 })
    await Promise.all([first, again, ...hosts].map((host) => host.close()))
  })

  test('a stream with replicas is refused: its servers do not keep to J2', async () => {
    servers = await startNats()
    await expect(open(`${servers.url}?replicas=3`)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(open(`${servers.url}?replicas=no`)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(open(`${servers.url}?creds=/nowhere`)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})
