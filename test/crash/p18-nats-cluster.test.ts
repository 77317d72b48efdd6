/* kill -9 of the leader of three NATS servers under eight writers, and a start each time. */
import { afterEach, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'
import { underFaults } from '../stores/faults.ts'
import { soak } from './rig/plan.ts'

/** On a slow machine elections take their time. */
const LIMIT_MS = 600_000
const KILLS = soak ? 6 : 1
/** Streams of blobs, and of keys. */
const LEADING = soak ? ['OBJ_steadfold_default', 'KV_steadfold_default'] : ['OBJ_steadfold_default']

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
      between: soak ? 400 : 40,
      faults: Array.from({ length: KILLS }, () => async () => {
        const leader = await started.leader('STEADFOLD_default')
        await leader.kill()
        await leader.start()
      }),
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0 } })
  },
  LIMIT_MS,
)

test.skipIf(!hasNats)(
  'blobs and checkpoints are kept and found while the servers that lead them are killed',
  async () => {
    const started = (servers = await startNats(3))
    // A machine with other work may take longer for an election than a call is patient for.
    const url = `${started.url}?patience=120`
    const { log } = await openNats({ url, create: true, sha256, warn: () => undefined })
    await log.create('s')
    const large = (fill: string) => fill.repeat(3_000_000)
    const blobs = new Map<string, string>()
    const put = async (text: string) => void blobs.set(await log.blobs.put('s', Buffer.from(text)), text)
    await put(large('a'))
    await log.checkpoints.put('s', [Buffer.from(large('b'))])
    for (const [round, stream] of LEADING.entries()) {
      const leader = await started.leader(stream)
      await leader.kill()
      const began = performance.now()
      expect((await log.checkpoints.get('s'))?.length).toBe(3_000_000)
      await put(large(`${round}`))
      await log.checkpoints.put('s', [Buffer.from(large('c'))])
      process.stderr.write(
        `nats cluster: without ${stream}'s leader blobs took ${Math.round(performance.now() - began)} ms\n`,
      )
      await leader.start()
      for (const [hash, text] of blobs) expect((await log.blobs.get('s', hash))?.equals(Buffer.from(text))).toBe(true)
    }
    expect((await log.checkpoints.get('s'))?.toString('utf8', 0, 3)).toBe('ccc')
    await log.close()
  },
  LIMIT_MS,
)
