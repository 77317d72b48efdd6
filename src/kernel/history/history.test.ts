import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Kernel } from '../kernel.ts'
import { encodeCheckpoint } from '../replica/checkpoint.ts'
import { makeCheckpoint } from '../replica/make-checkpoint.ts'
import { blame, valueHistory } from './blame.ts'
import { difference } from './difference.ts'

const HOUR = 3_600_000

async function begin() {
  const host = fixedHost()
  const kernel: Kernel = { ...memoryKernel({ checkpoints: false }), host }
  const workspace = makeWorkspace(kernel)
  const session = await workspace.createSession({ name: 'test' })
  const put = async (value: unknown, key = 'a') => session.run('state.set', { path: `$.data.${key}`, value })
  return { host, kernel, workspace, session, put }
}

test('a point is a head, a distance, a number, a mark, an age or a time', async () => {
  const { host, session, put } = await begin()
  for (let i = 0; i < 4; i++) {
    host.advance(HOUR)
    await put(i)
  }
  await session.run('session.mark', { name: 'draft', at: '3' })
  const points = {
    '@': 6,
    '@-3': 3,
    '4': 4,
    draft: 3,
    '90m': 3,
    '0s': 6,
    '2026-01-01T02:30:00Z': 3,
    '2026-01-01T02:00:00': 3,
  }
  for (const [point, seq] of Object.entries(points)) expect([point, await session.resolve(point)]).toEqual([point, seq])
})

test('H1 a time is the last commit at or before it, wherever that lies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 40 }), async (pauses) => {
      const { host, session, put } = await begin()
      for (const [index, pause] of pauses.entries()) {
        host.advance(pause)
        await put(index)
      }
      const times: number[] = []
      for await (const { at } of session.commits()) times.push(Date.parse(at))
      for (let time = times[0] ?? 0; time <= (times.at(-1) ?? 0) + 1; time++) {
        const last = times.findLastIndex((each) => each <= time) + 1
        expect(await session.resolve(new Date(time).toISOString())).toBe(last)
      }
    }),
    { numRuns: 40 },
  )
})

test('H1 a point that is none is an error with a code', async () => {
  const { session } = await begin()
  for (const point of ['@-9', '7', 'nothing', '', '2020-01-01', '9w']) {
    await expect(session.resolve(point)).rejects.toMatchObject({ code: 'POINT_NOT_FOUND' })
  }
})

test('the state at any commit is the state that was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c.d'), fc.jsonValue()), { maxLength: 8 }),
      async (writes) => {
        const { session, put } = await begin()
        const seen = [JSON.stringify(await session.stateAt())]
        for (const [key, value] of writes) {
          await put(value, key)
          seen[session.seq - 1] = JSON.stringify(await session.stateAt())
        }
        for (const [index, text] of seen.entries()) expect(JSON.stringify(await session.stateAt(index + 1))).toBe(text)
      },
    ),
    { numRuns: 40 },
  )
})

test('H2 with a checkpoint the states behind it are the same, and what lies before it is not read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c.d'), fc.jsonValue()), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      async (writes, cut) => {
        const { kernel, session, put } = await begin()
        const seen = [JSON.stringify(await session.stateAt())]
        let checkpointed = Infinity
        for (const [index, [key, value]] of writes.entries()) {
          await put(value, key)
          seen[session.seq - 1] = JSON.stringify(await session.stateAt())
          if (index !== cut % writes.length) continue
          await makeCheckpoint(kernel, session.id)
          checkpointed = session.seq
        }
        const from: number[] = []
        const reading = kernel.log.read.bind(kernel.log)
        kernel.log.read = (id, after) => {
          from.push(after.seq)
          return reading(id, after)
        }
        // The last of them is taken from memory.
        for (const [index, text] of seen.slice(0, -1).entries())
          expect(JSON.stringify(await session.stateAt(index + 1))).toBe(text)
        const points = seen.slice(0, -1).map((_, index) => index + 1)
        const read = points.filter((seq) => seq !== checkpointed)
        expect(from).toEqual(read.map((seq) => (seq < checkpointed ? 0 : checkpointed)))
      },
    ),
    { numRuns: 40 },
  )
})

test('H2 a checkpoint of another log, of another build or that is damaged is passed over', async () => {
  const { kernel, session, put } = await begin()
  for (const value of ['one', 'two']) await put(value)
  const { position } = session
  for (const value of ['three', 'four']) await put(value)
  const told = { position, at: '', keys: () => new Map(), shape: kernel.shape, state: { data: { a: 'told' } } }
  const found = async (from: Partial<typeof told>, alter = (text: string) => text) => {
    const text = Buffer.concat(encodeCheckpoint({ ...told, ...from }, kernel.host)).toString()
    await kernel.log.checkpoints?.put(session.id, [Buffer.from(alter(text))])
    return [await session.get('$.data.a', { at: 2 }), await session.get('$.data.a', { at: 3 })]
  }
  // What is not to be believed would be seen.
  expect(await found({})).toEqual(['one', 'told'])
  expect(await found({ shape: 'another build' })).toEqual(['one', 'two'])
  expect(await found({ position: { ...position, hash: 'f'.repeat(64) } })).toEqual(['one', 'two'])
  expect(await found({}, (text) => text.replace('told', 'lied'))).toEqual(['one', 'two'])
})

test('get at a point is a promise of the value then', async () => {
  const { session, put } = await begin()
  await put('old')
  await put('new')
  expect(session.get('$.data.a')).toBe('new')
  expect(await session.get('$.data.a', { at: 2 })).toBe('old')
  expect(await session.query('$.data.*', { at: '@-1' })).toEqual(['old'])
})

test('blame names the commit that gave a value, and history every value', async () => {
  const { kernel, session, put } = await begin()
  await put(1)
  await put(2, 'b')
  await put(1)
  await put(3)
  expect((await blame(kernel, session.id, '$.data.a', session.seq))?.commit.seq).toBe(5)
  expect((await blame(kernel, session.id, '$.data.a', 4))?.commit.seq).toBe(2)
  const values: unknown[] = []
  for await (const { value } of valueHistory(kernel, session.id, '$.data.a', session.seq)) values.push(value)
  expect(values).toEqual([1, 3])
})

test('a range is read to its end, however much of the log is read at once', async () => {
  const { host, kernel, session, put } = await begin()
  const text = 'x'.repeat(20_000)
  for (let i = 0; i < 6; i++) {
    host.advance(HOUR)
    await put({ i, text })
  }
  const seqs: number[] = []
  for await (const { seq } of session.commits({ after: 2, until: 6 })) seqs.push(seq)
  expect(seqs).toEqual([3, 4, 5, 6])
  expect([await session.resolve('0s'), await session.resolve('90m')]).toEqual([7, 5])
  expect((await blame(kernel, session.id, '$.data.a.i', 6))?.commit.seq).toBe(6)
  const { commits, changes } = await difference(kernel, session, { from: 3, to: 6, path: 'data.a.i' })
  expect({ commits, by: changes[0]?.by?.seq }).toEqual({ commits: 3, by: 6 })
})

test('restore sets data back by a new commit and keeps the session', async () => {
  const { session, put } = await begin()
  await put({ deep: [1, 2, 3] })
  await session.run('session.mark', { name: 'good' })
  await put({ deep: [9] })
  await put('extra', 'b')
  expect(await session.run('session.restore', { to: 'good' })).toMatchObject({ kind: 'accepted', seq: 6 })
  expect(session.get('$.data')).toEqual({ a: { deep: [1, 2, 3] } })
  expect(session.get('$.session.marks')).toEqual({ good: 2 })
  expect(await session.get('$.data', { at: 5 })).toEqual({ a: { deep: [9] }, b: 'extra' })
})

test('R1 R2 restoring any state to any point gives that state back, in the same order', async () => {
  const value = fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text))
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 2, maxLength: 6 }), async (values) => {
      const { session, put } = await begin()
      for (const each of values) await put(each)
      const then = JSON.stringify((await session.stateAt(2))['data'])
      await session.run('session.restore', { to: '2' })
      // As text: R2, the order of members, too.
      expect(JSON.stringify(session.get('$.data'))).toBe(then)
    }),
    { numRuns: 60 },
  )
})

test('R2 a member that a restore brings back stands where it stood, in lists too', async () => {
  const { session, put } = await begin()
  await put({ c: 1, list: [{ z: 1, y: 2 }], b: 2, 10: 0, 9: 0, a: 3 })
  const then = JSON.stringify(session.get('$.data'))
  await put({ b: 2, list: [{ y: 2 }], 9: 0, new: 1 })
  await session.run('session.restore', { to: '2' })
  expect(JSON.stringify(session.get('$.data'))).toBe(then)
  expect(await session.run('session.restore', { to: '2' })).toMatchObject({ kind: 'accepted', events: [] })
})

test('a live reader gets what is appended later, in order, until it stops', async () => {
  const { session, put } = await begin()
  const stop = new AbortController()
  const seen: number[] = []
  const reading = (async () => {
    for await (const { seq } of session.commits({ after: 1, live: true, signal: stop.signal })) {
      seen.push(seq)
      if (seq === 6) stop.abort()
    }
  })()
  for (let i = 0; i < 5; i++) await put(i)
  await reading
  expect(seen).toEqual([2, 3, 4, 5, 6])
})
