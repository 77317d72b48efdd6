/* The primary dies under writers; its standby takes over. */
import { expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { verifySession } from '../../src/kernel/verify.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, startStandby } from '../servers/postgres.ts'
import { consume, keysIn, workspaceOn, write } from '../stores/writers.ts'

const WRITERS = 4
const ENOUGH = 60

test.skipIf(!hasPostgres)(
  'R3 what was acknowledged is in the standby that was promoted, once, and no consumer skips anything',
  async () => {
    const primary = await startPostgres()
    const setup = await openPostgres({ url: primary.url, create: true, sha256, warn: () => undefined })
    await setup.log.close()
    const standby = await startStandby(primary)
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
    const url = `postgres://owner@${hosts}/test?target_session_attrs=read-write`
    const open = async () =>
      workspaceOn((await openPostgres({ url, create: false, sha256, warn: () => undefined })).log)
    const first = await open()
    const { id } = await first.createSession({ name: 'shared' })
    const others = await Promise.all(Array.from({ length: WRITERS }, open))
    const consumer = consume(await first.session(id))
    let over = false
    const writing = write(await Promise.all(others.map((other) => other.session(id))), () => over)
    const more = async () => {
      const from = consumer.seen.length
      while (consumer.seen.length < from + ENOUGH) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await more()
    await primary.kill()
    await standby.promote()
    await more()
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
      `failover: ${acknowledged.size} acknowledged, ${lost.length} lost, ${twice.length} twice, ${unsure.size} unsure, longest wait ${Math.round(longest)} ms\n`,
    )
    expect({ lost, twice }).toEqual({ lost: [], twice: [] })
    expect(consumer.seen).toEqual(Array.from({ length: session.seq }, (_, i) => i + 1))
    expect(await verifySession(again.kernel, id)).toMatchObject({ ok: true, torn: 0, races: 0 })
    await Promise.all([first, again, ...others].map((each) => each.close()))
    await Promise.all([primary.stop(), standby.stop()])
  },
)
