import { describe, expect, test } from 'vitest'
import { fixedHost, overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { EngineError } from '../error.ts'
import type { Kernel, Settings } from '../kernel.ts'
import type { Lines, Log } from '../ports.ts'
import { Session } from '../session.ts'
import type { Folder } from '../state/fold.ts'

const kernelOf = (settings: Partial<Settings> = {}): Kernel => ({
  ...memoryKernel({ checkpoints: false, ...settings }),
  host: fixedHost(),
})
const set = (path: string, value: unknown) => ['state.set', { path, value }] as const

async function begin(kernel = kernelOf()) {
  const session = await makeWorkspace(kernel).createSession({ name: 'test' })
  return { kernel, session }
}

const opened = (kernel: Kernel, session: Session, methods: Partial<Log>) =>
  new Session({ ...kernel, log: overriding(kernel.log, methods) }, session.id).open()

describe('who makes a group', () => {
  async function counted() {
    const kernel = memoryKernel({ checkpoints: false })
    const { session } = await begin(kernel)
    const sizes: number[] = []
    const append: Log['append'] = (id, batch, ...rest) => {
      sizes.push(batch.lines.length)
      return kernel.log.append(id, batch, ...rest)
    }
    return { session: await opened(kernel, session, { append }), sizes }
  }

  test('those who ask from events of their own, as the requests of a daemon do', async () => {
    const { session, sizes } = await counted()
    await session.run(...set('$.data.a', 1))
    const asked = (n: number) =>
      new Promise((resolve) => setImmediate(() => resolve(session.run(...set(`$.data.b${n}`, n)))))
    await Promise.all([asked(1), asked(2), asked(3)])
    expect(sizes).toEqual([1, 3])
  })

  test('all whom one answer has woken', async () => {
    const { session, sizes } = await counted()
    const twice = async (n: number) => {
      await session.run(...set('$.data.a', n))
      await session.run(...set('$.data.b', n))
    }
    await Promise.all([twice(1), twice(2), twice(3)])
    expect(sizes).toEqual([3, 3])
  })

  test('the host knows before whoever is answered asks again', async () => {
    const order: string[] = []
    const kernel = memoryKernel({ checkpoints: false })
    const { session } = await begin({ ...kernel, host: { ...kernel.host, answered: () => order.push('answered') } })
    await session.run(...set('$.data.a', 1)).then(() => order.push('woken'))
    expect(order.slice(-2)).toEqual(['answered', 'woken'])
  })
})

describe('L7 keys inside a group', () => {
  test('L7 a key that is used again behind other requests stays with its own commit', async () => {
    const { session } = await begin()
    const requests = [
      session.run(...set('$.data.a', 1), { key: 'k' }),
      session.run(...set('$.data.b', 2)),
      session.run(...set('$.data.c', 3), { key: 'k' }),
    ]
    expect(await Promise.all(requests)).toMatchObject([{ seq: 2 }, { seq: 3 }, { seq: 2, repeated: true }])
    expect(await session.run(...set('$.data.d', 4), { key: 'k' })).toMatchObject({ seq: 2, repeated: true })
  })

  test('L7 a key of another operation is refused in the same group, too', async () => {
    const { session } = await begin()
    const requests = [
      session.run(...set('$.data.a', 1), { key: 'k' }),
      session.run('state.delete', { path: '$.data.a' }, { key: 'k' }),
    ]
    expect(await Promise.all(requests)).toMatchObject([{ kind: 'accepted' }, { kind: 'refused', code: 'KEY_REUSED' }])
  })

  test('L7 a key whose line was cut off is not taken for that of a refusal before it', async () => {
    const { kernel, session } = await begin()
    let appends = 0
    const writer = await opened(kernel, session, {
      append: (id, batch, after, options) =>
        kernel.log.append(id, appends++ === 0 ? firstOf(batch) : batch, after, options),
    })
    const requests = [
      writer.run(...set('$.data.x', 0), { key: 'k', ifSeq: 99 }),
      writer.run(...set('$.data.a', 1)),
      writer.run(...set('$.data.b', 2), { key: 'k' }),
    ]
    expect(await Promise.all(requests)).toMatchObject([{ kind: 'refused' }, { seq: 2 }, { kind: 'accepted', seq: 3 }])
    expect(writer.get('$.data')).toEqual({ a: 1, b: 2 })
  })

  test('L7 repeated keys of one group cost one reading of the log', async () => {
    const { kernel, session } = await begin()
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
    for (const key of keys) await session.run(...set('$.data.a', key), { key })
    let reads = 0
    const writer = await opened(kernel, session, { read: (id, after) => (reads++, kernel.log.read(id, after)) })
    reads = 0
    const answers = await Promise.all(keys.map((key) => writer.run(...set('$.data.a', 0), { key })))
    expect(answers.map((answer) => answer.kind === 'accepted' && answer.seq)).toEqual(keys.map((_, i) => i + 2))
    expect(reads).toBe(1)
  })
})

describe('sizes', () => {
  test.each([false, true])('a commit is measured in bytes, not in characters; in a dry run: %s', async (dryRun) => {
    const { session } = await begin(kernelOf({ commitBytes: 2000 }))
    const refused = { kind: 'refused', code: 'VALUE_TOO_LARGE' }
    expect(await session.run(...set('$.data.a', '€'.repeat(1000)), { dryRun })).toMatchObject(refused)
    expect(await session.run(...set('$.data.a', 1), { dryRun })).toMatchObject({ kind: 'accepted', seq: 2 })
  })

  test('a group of large commits is written a part at a time', async () => {
    const { kernel, session } = await begin(kernelOf({ commitBytes: 4096 }))
    const sizes: number[] = []
    const writer = await opened(kernel, session, {
      append: (id, batch, after, options) => {
        sizes.push(batch.bytes.length)
        return kernel.log.append(id, batch, after, options)
      },
    })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => writer.run(...set(`$.data.k${i}`, 'x'.repeat(1000)))),
    )
    expect(answers.map((answer) => answer.kind === 'accepted' && answer.seq)).toEqual(answers.map((_, i) => i + 2))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8192)
  })

  test('E1 a seal that cannot be made takes back what was folded', async () => {
    const { kernel, session } = await begin(kernelOf({ segmentBytes: 1 }))
    let ids = 0
    const newId = () => {
      if (++ids > 1) throw new Error('no seal')
      return kernel.host.newId()
    }
    const writer = await new Session({ ...kernel, host: { ...kernel.host, newId } }, session.id).open()
    await expect(writer.run(...set('$.data.a', 1))).rejects.toThrow('no seal')
    expect(writer.stored['data']).toBeUndefined()
  })
})

describe('X2 answers that write nothing', () => {
  test('X2 a refusal, and a yes with nothing to do, wait until what they rest on is durable', async () => {
    const { kernel, session } = await begin()
    await session.run('session.suspend')
    let syncs = 0
    const other = await opened(kernel, session, { sync: async () => void syncs++ })
    expect(await other.run('session.suspend')).toMatchObject({ kind: 'accepted', events: [] })
    expect(syncs).toBe(1)
    expect(await other.run(...set('$.data.a', 1))).toMatchObject({ kind: 'refused' })
    expect(syncs).toBe(1)
    await session.run('session.mark', { name: 'm' })
    expect(await other.run(...set('$.data.a', 1))).toMatchObject({ kind: 'refused' })
    expect(syncs).toBe(2)
  })

  test.each([
    ['the same key', set('$.data.a', 1), { key: 'k' }],
    ['nothing to do', ['state.delete', { path: '$.data.none' }], {}],
    ['a no', set('$.data.a', 2), { ifSeq: 1 }],
  ] as const)(
    'X2 %s, in a group that otherwise is relaxed, is answered when that is durable',
    async (_, call, options) => {
      const { kernel, session } = await begin()
      const asked: unknown[] = []
      const append: Log['append'] = (id, lines, after, how) => {
        asked.push(how.durability)
        return kernel.log.append(id, lines, after, how)
      }
      const other = await opened(kernel, session, { append })
      const relaxed = { key: 'k', durability: 'relaxed' } as const
      await Promise.all([other.run(...set('$.data.a', 1), relaxed), other.run(call[0], call[1], options)])
      await other.run(...set('$.data.b', 1), { durability: 'relaxed' })
      expect(asked).toEqual(['durable', 'relaxed'])
    },
  )

  test('X2 a no that rests on what cannot be made durable is a failure', async () => {
    const { kernel, session } = await begin()
    await session.run('session.suspend')
    const other = await opened(kernel, session, {
      sync: () => Promise.reject(new EngineError('OUTCOME_UNKNOWN', 'no sync')),
    })
    await expect(other.run(...set('$.data.a', 1))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })
})

describe('what others write', () => {
  test('events that are not known stop every later write of this process, not only the first', async () => {
    const { kernel, session } = await begin()
    const folder: Folder = (type) => (type === 'session.marked' ? undefined : kernel.folder(type))
    const old = await new Session({ ...kernel, folder }, session.id).open()
    await session.run('session.mark', { name: 'm' })
    for (const value of [1, 2])
      await expect(old.run(...set('$.data.a', value))).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' })
    await session.refresh()
    expect(session.seq).toBe(2)
  })

  test('what is prepared from the past gets its place while writers never pause', async () => {
    const { session } = await begin()
    let writing = true
    let writes = 0
    const writer = async () => {
      while (writing && writes < 2000) await session.run(...set('$.data.a', writes++))
    }
    const writers = [writer(), writer()]
    const names = Array.from({ length: 30 }, (_, i) => `m${i}`)
    const marks = await Promise.all(names.map((name) => session.run('session.mark', { name })))
    writing = false
    await Promise.all(writers)
    expect(new Set(marks.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
  })

  test('a reader gets its turn while writers never pause', async () => {
    const { session } = await begin()
    let writing = true
    let writes = 0
    const writer = async () => {
      while (writing && writes < 2000) await session.run(...set('$.data.a', writes++))
    }
    const writers = [writer(), writer()]
    await session.run(...set('$.data.b', 1))
    await session.refresh()
    writing = false
    await Promise.all(writers)
    expect(writes).toBeLessThan(1000)
  })
})

function firstOf({ lines, bytes }: Lines): Lines {
  return { lines: lines.slice(0, 1), bytes: bytes.subarray(0, lines[0]?.end) }
}
