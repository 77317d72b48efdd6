/* The leader of three NATS servers is cut off from the others for twelve seconds, under eight writers on all of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterEach, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { verifySession } from '../../src/kernel/care/verify.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { sha256 } from '../conformance/kit.ts'
import { canCutOff, startApart, type Apart } from '../servers/apart.ts'
import type { Node } from '../servers/nats.ts'
import { underFaults } from '../stores/faults.ts'
import { workspaceOn } from '../stores/writers.ts'
import { until } from '../until.ts'

const PARTITION_MS = 12_000
const WRITERS = 8
const HANDOVER_MS = 200
/** On a slow machine elections take their time. */
const LIMIT_MS = 180_000

const STREAM = 'STEADFOLD_default'

let servers: Apart | undefined
afterEach(() => servers?.stop())

/** Leaders are asked to go until it is the one; each has time to hand over, so that asking does not disturb what it asked for. */
async function lead(of: Apart, node: Node): Promise<void> {
  const nats = await connect({ servers: node.address })
  await until(async () => {
    if ((await of.leader(STREAM)) === node) return true
    await nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${STREAM}`).catch(() => undefined)
    await sleep(HANDOVER_MS)
    return false
  })
  await nats.close()
}

/** As docs/how-to/nats.md says: the copies but the leader's are made anew. */
async function renew(of: Apart, node: Node): Promise<void> {
  const leads = of.nodes.find((each) => each !== node)
  if (leads !== undefined) await lead(of, leads)
  const nats = await connect({ servers: of.nodes.map(({ address }) => address) })
  const manager = await jetstreamManager(nats)
  for (const replicas of [1, 3]) {
    const { config } = await manager.streams.info(STREAM)
    await manager.streams.update(STREAM, { ...config, num_replicas: replicas })
    await until(async () => {
      const { cluster } = await manager.streams.info(STREAM).catch(() => ({ cluster: undefined }))
      const copies = cluster?.replicas ?? []
      return cluster?.leader !== undefined && copies.length === replicas - 1 && copies.every(({ current }) => current)
    })
  }
  await nats.close()
}

test.skipIf(!canCutOff)(
  'J4 what was acknowledged survives a partition around the leader, is there once, and no consumer skips anything',
  async () => {
    const apart = (servers = await startApart())
    let opened = 0
    const warned = new Set<string>()
    // Writers on both sides: each begins with another server.
    const url = () => `nats://${apart.nodes[opened++ % apart.nodes.length]?.address}`
    const open = () =>
      openNats({
        url: url(),
        create: true,
        sha256,
        warn: (message) => /keeps another/.test(message) && warned.add(message),
      })
    let cut: Node | undefined
    const report = await underFaults({
      name: 'nats partition',
      open,
      writers: WRITERS,
      between: 40,
      faults: [
        async () => {
          cut = await apart.leader(STREAM)
          const heal = apart.cutOff(cut)
          await sleep(PARTITION_MS)
          heal()
        },
      ],
    })
    expect(report).toMatchObject({ lost: [], twice: [], skipped: [], verified: { ok: true, torn: 0 } })
    const whole = async (log: Log) => {
      const workspace = workspaceOn(log)
      expect(await verifySession(workspace.kernel, report.id)).toMatchObject({ ok: true, seq: report.verified.seq })
      await workspace.close()
    }
    for (const node of apart.nodes) {
      await lead(apart, node)
      await whole((await open()).log)
    }
    process.stderr.write(`nats partition: ${[...warned].join('; ') || 'no leader was astray'}\n`)
    if (cut !== undefined) await renew(apart, cut)
    warned.clear()
    for (const node of apart.nodes) {
      await lead(apart, node)
      await whole((await open()).log)
    }
    expect([...warned]).toEqual([])
  },
  LIMIT_MS,
)
