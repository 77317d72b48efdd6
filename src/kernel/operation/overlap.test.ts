import { describe, expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { until } from '../../../test/until.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import type { Host } from '../ports.ts'
import { Session } from '../session.ts'
import { Overlap } from './overlap.ts'

const set = (name: string, value: unknown) => ['state.set', { path: `$.data.${name}`, value }] as const
/** For what must not happen. */
const turns = () => new Promise<void>((resolve) => setTimeout(resolve, 5))

interface Sync {
  readonly seqs: readonly number[]
  readonly isFollowed: boolean
  readonly done: () => void
  readonly fail: (error: Error) => void
}

/** A store whose disk is this test: to decide a request takes 4 ms by the clock, which is when its line is hashed. */
async function onSlowDisk(parts: Partial<Kernel> = {}) {
  const memory = { ...memoryKernel({ checkpoints: false }), ...parts }
  let now = 0
  let isQuick = true
  const syncs: Sync[] = []
  const host = fixedHost()
  const sha256: Host['sha256'] = (bytes) => {
    now += 4
    return host.sha256(bytes)
  }
  const kernel: Kernel = { ...memory, host: { ...host, clock: () => now, sha256 } }
  const { id } = await makeWorkspace(kernel).createSession({ name: 'test' })
  const log = overriding(memory.log, {
    supports: { ...memory.log.supports, overlaps: true },
    append: async (session, batch, after, options) => {
      const appended = await memory.log.append(session, batch, after, options)
      if (isQuick || appended.kind === 'conflict') return appended
      const seqs = batch.lines.map(({ seq }) => seq)
      const durable = new Promise<void>((resolve, reject) => {
        syncs.push({ seqs, isFollowed: options.isFollowed === true, done: resolve, fail: reject })
      })
      return { ...appended, durable }
    },
  })
  const session = await new Session({ ...kernel, log }, id).open()
  const ask = (n: number) => Array.from({ length: n }, (_, i) => session.run(...set(`a${i}`, i)))
  // A first group, which finds that it pays.
  await Promise.all(ask(8))
  isQuick = false
  /** By the clock the disk took a second. */
  const late = async (done = () => {}) => {
    now += 1000
    done()
    await turns()
  }
  /** So many syncs are under way. */
  const begun = (n: number) => until(() => syncs.length === n)
  return { kernel, session, syncs, begun, ask, late }
}

const settledOf = (answers: readonly Promise<unknown>[]): number[] => {
  const seen: number[] = []
  answers.forEach(
    (answer, i) =>
      void answer.then(
        () => seen.push(i),
        () => seen.push(i),
      ),
  )
  return seen
}

describe('a group is decided while the one before it is on its way', () => {
  test('X1 half of those who wait, then the other half', async () => {
    const { syncs, ask, begun } = await onSlowDisk()
    const answers = ask(8)
    await begun(2)
    expect(syncs.map(({ seqs, isFollowed }) => [seqs.length, isFollowed])).toEqual([
      [4, true],
      [4, false],
    ])
    for (const { done } of syncs) done()
    expect(await Promise.all(answers)).toMatchObject(answers.map((_, i) => ({ kind: 'accepted', seq: 10 + i })))
  })

  test('X2 D1 nothing is answered before it is durable, nor before what stands in front of it', async () => {
    const { syncs, ask, begun } = await onSlowDisk()
    const seen = settledOf(ask(8))
    await begun(2)
    syncs[1]?.done()
    await turns()
    expect(seen).toEqual([])
    syncs[0]?.done()
    await until(() => seen.length === 8)
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('X2 those of a half that does not get there are told, and the others are not', async () => {
    const { syncs, ask, begun } = await onSlowDisk()
    const answers = Promise.allSettled(ask(8))
    await begun(2)
    syncs[0]?.done()
    syncs[1]?.fail(new Error('no disk'))
    expect((await answers).map(({ status }) => status)).toEqual([
      ...Array<string>(4).fill('fulfilled'),
      ...Array<string>(4).fill('rejected'),
    ])
  })

  test('X2 a no waits for what it rests on', async () => {
    const { session, syncs, ask, begun } = await onSlowDisk()
    const answers = ask(2)
    await begun(2)
    const seen = settledOf([session.run(...set('b', 1), { ifSeq: 3 })])
    await turns()
    expect(syncs.length).toBe(2)
    expect(seen).toEqual([])
    for (const { done } of syncs) done()
    await Promise.all(answers)
    await until(() => seen.length === 1)
  })

  test.each(['refresh', 'close'] as const)('X2 %s waits for it', async (leave) => {
    const { session, syncs, ask, begun } = await onSlowDisk()
    const answers = ask(2)
    await begun(2)
    const seen = settledOf([session[leave]()])
    await turns()
    expect(seen).toEqual([])
    for (const { done } of syncs) done()
    await Promise.all(answers)
    await until(() => seen.length === 1)
  })

  test('V2 who comes while a slow disk is waited for is written when that is done', async () => {
    const { syncs, ask, late, begun } = await onSlowDisk()
    const asked = [ask(2)]
    await begun(2)
    asked.push(ask(1))
    await begun(3)
    for (const { done } of syncs.splice(0)) await late(done)
    asked.push(ask(2))
    await begun(2)
    await late(syncs[0]?.done)
    asked.push(ask(1))
    await turns()
    expect(syncs.length).toBe(2)
    await late(syncs[1]?.done)
    await begun(3)
    syncs[2]?.done()
    await Promise.all(asked.flat())
  })

  test('not where an observer is told of a commit with the state that it led to', async () => {
    const nothing = () => undefined
    const observer = { began: () => nothing, deciding: nothing, conflicted: nothing, committed: nothing }
    const { syncs, ask, begun } = await onSlowDisk({ observer })
    const answers = ask(8)
    await begun(1)
    expect(syncs.map(({ seqs }) => seqs.length)).toEqual([8])
    syncs[0]?.done()
    await Promise.all(answers)
  })

  test('nor is anything written behind the end of a segment that another has written', async () => {
    const { kernel, session, syncs, ask, begun } = await onSlowDisk()
    const answers = ask(2)
    await begun(2)
    const settings = { ...kernel.settings, segmentBytes: 1 }
    await new Session({ ...kernel, settings }, session.id).open().then((other) => other.run(...set('b', 1)))
    const behind = ask(1)
    await turns()
    expect(syncs.length).toBe(2)
    for (const { done } of syncs) done()
    await begun(3)
    syncs[2]?.done()
    await Promise.all([...answers, ...behind])
  })

  test('the end of a segment is awaited', async () => {
    const { syncs, ask, begun } = await onSlowDisk({
      settings: { ...memoryKernel().settings, checkpoints: false, segmentBytes: 1 },
    })
    const answers = ask(8)
    await begun(1)
    await turns()
    expect(syncs.map(({ seqs }) => seqs.length)).toEqual([5])
    const more = setInterval(() => syncs.forEach(({ done }) => done()), 1)
    await Promise.all(answers)
    clearInterval(more)
  })
})

describe('whether it pays', () => {
  const timed = () => {
    let now = 0
    const overlap = new Overlap(() => now, true)
    return {
      overlap,
      /** A group of 64 that nobody decides another beside. */
      alone: (deciding: number, sync: number) => {
        overlap.begin(64)
        now += deciding
        overlap.decided()
        now += sync
        overlap.waited()
      },
      /** A half, on its way for so long behind the last that was decided. */
      half: (deciding: number, rest: number) => {
        overlap.begin(32)
        now += deciding
        overlap.decided()
        overlap.rest()
        now += rest
        overlap.landed(true)
      },
    }
  }

  test.each([
    [4, 2, true],
    [4, 3, true],
    [4, 6, false],
  ])('V1 to decide for %d ms beside a sync of %d ms: %s', (deciding, sync, pays) => {
    const { overlap, alone } = timed()
    alone(deciding, sync)
    expect(overlap.pays).toBe(pays)
    expect(overlap.share(64, false)).toBe(pays ? 32 : 64)
    expect(overlap.share(33, true)).toBe(33)
  })

  test('V2 a slow moment of the disk is forgiven, a slow disk is not', () => {
    const { overlap, alone, half } = timed()
    alone(4, 2)
    for (const rest of [9, 9, 9, 1, 9, 9, 9]) half(2, rest)
    expect(overlap.pays).toBe(true)
    half(2, 9)
    expect(overlap.pays).toBe(false)
    alone(4, 2)
    half(2, 9)
    expect(overlap.pays).toBe(true)
  })

  test('V2 while there is something to decide, nobody waits for the disk', () => {
    const { overlap, alone } = timed()
    alone(4, 2)
    for (let i = 0; i < 9; i++) overlap.landed(false)
    expect(overlap.pays).toBe(true)
  })

  test('V1 a few requests are decided faster than any disk, and a store that cannot is not asked', () => {
    const few = new Overlap(() => expect.unreachable(), true)
    few.begin(7)
    few.decided()
    few.waited()
    expect(few.pays).toBe(false)
    const never = new Overlap(() => expect.unreachable(), false)
    never.begin(64)
    never.decided()
    never.waited()
    expect(never.pays).toBe(false)
  })
})
