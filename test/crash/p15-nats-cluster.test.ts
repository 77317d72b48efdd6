/* kill -9 of the leader of three NATS servers under eight writers, and a start each time. */
import { afterEach, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'
import { underFaults } from '../stores/faults.ts'

const SOAK = process.env['SOAK'] === '1'
const KILLS = SOAK ? 6 : 2

let servers: Servers | undefined
afterEach(() => servers?.stop())

test.skipIf(!hasNats)(
  'J4 what a cluster acknowledged survives kill -9 of its leader, is there once, and no consumer skips anything',
  async () => {
    const started = (servers = await startNats(3))
    const open = () => openNats({ url: started.url, create: true, sha256, warn: () => undefined })
    const report = await underFaults({
      name: 'nats cluster',
      open,
      writers: 8,
      between: SOAK ? 400 : 40,
      faults: Array.from({ length: KILLS }, () => async () => {
        const leader = await started.leader('STEADFOLD_default')
        await leader.kill()
        await leader.start()
      }),
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0 } })
  },
)
