/* Whatever callers ask, and however the disk behaves, no answer is ahead of it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { Session } from '../session.ts'
import type { Answer } from './answer.ts'

/** What happens next: so many ask, one asks with a key of few, one is refused, a reader looks, or the disk answers. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), n: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('key' as const), n: fc.integer({ min: 0, max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('refused' as const, 'look' as const), n: fc.constant(1) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('disk' as const), n: fc.integer({ min: 0, max: 9 }) }) },
)

interface Sync {
  readonly last: number
  readonly settle: (error?: Error) => void
}

/** Syncs of one log run one after the other, and what is behind one that failed has failed. */
class Disk {
  readonly syncs: Sync[] = []
  durable = 1
  failed = Infinity

  begin(last: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.syncs.push({ last, settle: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  }

  answer(isWell: boolean): void {
    const sync = this.syncs.shift()
    if (sync === undefined) return
    if (!isWell) this.failed = Math.min(this.failed, sync.last)
    if (sync.last < this.failed) this.durable = sync.last
    sync.settle(sync.last < this.failed ? undefined : new Error('no disk'))
  }
}

async function session(disk: Disk, clock: () => number) {
  const memory = memoryKernel({ checkpoints: false })
  const kernel: Kernel = { ...memory, host: { ...fixedHost(), clock } }
  const { id } = await makeWorkspace(kernel).createSession({ name: 'test' })
  const log = overriding(memory.log, {
    supports: { ...memory.log.supports, overlaps: true },
    append: async (name, batch, after, options) => {
      if (disk.failed < Infinity) throw new Error('no disk')
      const appended = await memory.log.append(name, batch, after, options)
      return appended.kind === 'conflict' ? appended : { ...appended, durable: disk.begin(appended.position.seq) }
    },
    sync: async () => {
      if (disk.failed < Infinity || disk.syncs.length > 0) throw new Error('no disk')
    },
  })
  return new Session({ ...kernel, log }, id).open()
}

test('X2 an accepted answer is durable, and a no and what was read rest on nothing that is not', async () => {
  let overlapped = 0
  const run = fc.asyncProperty(
    fc.array(step, { maxLength: 25 }),
    fc.infiniteStream(fc.nat(8)),
    async (steps, times) => {
      let now = 0
      const disk = new Disk()
      const writer = await session(disk, () => (now += times.next().value ?? 0))
      const early: string[] = []
      const asked: Promise<unknown>[] = []
      const watch = (answer: Promise<Answer>, isRead = false) => {
        const before = writer.seq
        const told = answer.then((got) => {
          // Behind a failed sync there are only reads: nobody knows what is on the disk.
          if (isRead && disk.failed < Infinity) return
          if (got.kind === 'accepted' && got.seq > disk.durable) early.push(`${got.seq} of ${disk.durable}`)
          if (got.kind === 'refused' && disk.syncs.some(({ last }) => last <= before)) early.push('a no')
        })
        asked.push(told.catch(() => undefined))
      }
      const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
      for (const each of steps) {
        const set = { path: '$.data.x', value: asked.length }
        if (each.kind === 'ask') for (let i = 0; i < each.n; i++) watch(writer.run('state.set', set))
        else if (each.kind === 'key') watch(writer.run('state.set', { ...set, value: 0 }, { key: `k${each.n}` }))
        else if (each.kind === 'refused') watch(writer.run('state.set', set, { ifSeq: 0 }))
        else if (each.kind === 'look') watch(writer.run('state.get', { path: '$.data.x' }), true)
        else disk.answer(each.n > 0)
        if (each.kind === 'disk') for (let i = 0; i < 4; i++) await turn()
        overlapped = Math.max(overlapped, disk.syncs.length)
      }
      const left = Promise.allSettled(asked).then(() => true)
      while (!(await Promise.race([left, turn()]))) disk.answer(true)
      await writer.close()
      expect(early).toEqual([])
    },
  )
  await fc.assert(run, { numRuns: 300 })
  expect(overlapped).toBeGreaterThan(1)
})
