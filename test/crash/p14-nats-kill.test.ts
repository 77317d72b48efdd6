/* kill -9 of one NATS server under four writers, and a start each time. */
import { afterEach, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'
import { underFaults } from '../stores/faults.ts'
import { soak } from './rig/plan.ts'

const KILLS = soak ? 6 : 2

let servers: Servers | undefined
afterEach(() => servers?.stop())

test.skipIf(!hasNats)(
  'J3 what was acknowledged survives kill -9 of the server, is there once, and no consumer skips anything',
  async () => {
    const started = (servers = await startNats())
    const report = await underFaults({
      name: 'nats',
      open: () => openNats({ url: started.url, create: true, sha256, warn: () => undefined }),
      writers: 4,
      between: soak ? 400 : 60,
      faults: Array.from({ length: KILLS }, () => async () => {
        await started.nodes[0]?.kill()
        await started.nodes[0]?.start()
      }),
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0, races: 0 } })
  },
)
