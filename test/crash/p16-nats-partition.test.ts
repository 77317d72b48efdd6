/* The leader of three NATS servers is cut off from the others for twelve seconds, under eight writers on all of them. */
import { expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { canCutOff, startApart } from '../servers/apart.ts'
import { underFaults } from '../stores/faults.ts'

const PARTITION_MS = 12_000
const WRITERS = 8

test.skipIf(!canCutOff)(
  'J4 what was acknowledged survives a partition around the leader, is there once, and no consumer skips anything',
  async () => {
    const servers = await startApart()
    let opened = 0
    // Writers on both sides: each begins with another server.
    const url = () => `nats://${servers.nodes[opened++ % servers.nodes.length]?.address}`
    const report = await underFaults({
      name: 'nats partition',
      open: () => openNats({ url: url(), create: true, sha256, warn: () => undefined }),
      writers: WRITERS,
      between: 40,
      faults: [
        async () => {
          const heal = servers.cutOff(await servers.leader('STEADFOLD_default'))
          await new Promise((resolve) => setTimeout(resolve, PARTITION_MS))
          heal()
        },
      ],
    })
    await servers.stop()
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0 } })
  },
)
