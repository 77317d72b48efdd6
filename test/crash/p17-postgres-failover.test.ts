/* The primary dies under writers; its standby takes over. */
import { afterEach, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, startStandby, type Server } from '../servers/postgres.ts'
import { underFaults } from '../stores/faults.ts'

const servers: Server[] = []
afterEach(() => Promise.all(servers.map((server) => server.stop())))

test.skipIf(!hasPostgres)(
  'R3 what was acknowledged is in the standby that was promoted, once, and no consumer skips anything',
  async () => {
    const primary = await startPostgres()
    servers.push(primary)
    const open = (url: string, create: boolean) => openPostgres({ url, create, sha256, warn: () => undefined })
    await (await open(primary.url, true)).log.close()
    const standby = await startStandby(primary)
    servers.push(standby)
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`
    const report = await underFaults({
      name: 'postgres failover',
      open: () => open(`postgres://owner@${hosts}/test?target_session_attrs=read-write`, false),
      writers: 4,
      between: 60,
      faults: [
        async () => {
          await primary.kill()
          await standby.promote()
        },
      ],
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0, races: 0 } })
  },
)
