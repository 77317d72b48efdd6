/* kill -9 of PostgreSQL under eight writers, and a start each time. */
import { afterEach, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'
import { underFaults } from '../stores/faults.ts'
import { soak } from './rig/plan.ts'

const KILLS = soak ? 6 : 2

let server: Server | undefined
afterEach(() => server?.stop())

test.skipIf(!hasPostgres)(
  'R3 what was acknowledged survives kill -9 of the server, is there once, and no consumer skips anything',
  async () => {
    const started = (server = await startPostgres())
    const report = await underFaults({
      name: 'postgres',
      open: () => openPostgres({ url: started.url, create: true, sha256, warn: () => undefined }),
      writers: 8,
      between: soak ? 400 : 60,
      faults: Array.from({ length: KILLS }, () => async () => {
        await started.kill()
        await started.start()
      }),
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0, races: 0 } })
  },
)
