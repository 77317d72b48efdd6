/* kill -9 of PostgreSQL under eight writers, and a start each time. */
import { expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { verifySession } from '../../src/kernel/verify.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasPostgres, startPostgres } from '../servers/postgres.ts'
import { consume, keysIn, workspaceOn, write } from '../stores/writers.ts'

const KILLS = process.env['SOAK'] === '1' ? 6 : 2
const WRITERS = 8
const BETWEEN = process.env['SOAK'] === '1' ? 400 : 60

test.skipIf(!hasPostgres)(
  'R3 what was acknowledged survives kill -9 of the server, is there once, and no consumer skips anything',
  async () => {
    const server = await startPostgres()
    const open = async () =>
      workspaceOn((await openPostgres({ url: server.url, create: true, sha256, warn: () => undefined })).log)
    const first = await open()
    const { id } = await first.createSession({ name: 'shared' })
    const hosts = await Promise.all(Array.from({ length: WRITERS }, open))
    const sessions = await Promise.all(hosts.map((host) => host.session(id)))
    const consumer = consume(await first.session(id))
    let over = false
    const writing = write(sessions, () => over)
    for (let kill = 0; kill < KILLS; kill++) {
      const from = consumer.seen.length
      while (consumer.seen.length < from + BETWEEN) await new Promise((resolve) => setTimeout(resolve, 20))
      await server.kill()
      await server.start()
    }
    const from = consumer.seen.length
    while (consumer.seen.length < from + BETWEEN) await new Promise((resolve) => setTimeout(resolve, 20))
    over = true
    const { acknowledged, unsure, longest } = await writing
    const again = await open()
    const session = await again.session(id)
    const keys = await keysIn(session)
    while (consumer.seen.length < session.seq) await new Promise((resolve) => setTimeout(resolve, 20))
    await consumer.stop()
    const lost = [...acknowledged].filter((key) => !keys.has(key))
    const twice = [...keys.values()].filter((times) => times > 1)
    process.stderr.write(
      `postgres: ${KILLS} kills, ${acknowledged.size} acknowledged, ${lost.length} lost, ${twice.length} twice, ${unsure.size} unsure, longest wait ${Math.round(longest)} ms\n`,
    )
    expect({ lost, twice }).toEqual({ lost: [], twice: [] })
    expect(consumer.seen).toEqual(Array.from({ length: session.seq }, (_, i) => i + 1))
    expect(await verifySession(again.kernel, id)).toMatchObject({ ok: true, torn: 0, races: 0 })
    await Promise.all([first, again, ...hosts].map((host) => host.close()))
    await server.stop()
  },
)
