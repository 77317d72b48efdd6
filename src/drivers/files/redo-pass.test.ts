/* P1, P2: what a power cut took of a log is there again, and nothing else. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { line, sha256 } from '../../../test/conformance/kit.ts'
import {
  another,
  begin,
  copying,
  cut,
  end,
  failing,
  instead,
  onSyncedDisk,
  readIn,
  readOf,
  redoFiles,
  redoIn,
  segment,
} from '../../../test/power-cut.ts'
import { allLost, someLost } from '../../../test/synced-disk.ts'
import { START } from '../../kernel/log/chain.ts'
import { SEAL_OP } from '../../kernel/log/commit.ts'
import { FilesLog } from './files.ts'
import { cutLog } from './repair.ts'

onSyncedDisk()

test('P1 what a power cut took of the segment is there again, byte for byte', async () => {
  const { acknowledged } = await copying()
  const after = cut()
  expect(fs.statSync(segment(after)).size).toBeLessThan(fs.statSync(segment()).size)
  expect(await readIn(after)).toEqual({ hashes: acknowledged, damage: undefined })
  expect(fs.readFileSync(segment(after))).toEqual(fs.readFileSync(segment()))
})

test('P1 whoever appends first puts it back first', async () => {
  const { acknowledged } = await copying()
  const after = cut()
  const next = another(after)
  await next.append('next')
  expect((await readIn(after)).hashes).toEqual([...acknowledged, ...next.acknowledged])
})

test.each([
  ['half a line', (bytes: Buffer, size: number) => bytes.subarray(0, size + 100)],
  ['zeros', (bytes: Buffer, size: number) => Buffer.concat([bytes.subarray(0, size), Buffer.alloc(3000)])],
  [
    'what another file has left on that place',
    (bytes: Buffer, size: number) =>
      Buffer.concat([bytes.subarray(0, size), Buffer.from('rest\nof another\nfile'.repeat(300))]),
  ],
  ['a hole', (bytes: Buffer, size: number) => Buffer.from(bytes).fill(0, size + 300, size + 700)],
])('P1 it is put back where %s of it is left', async (_, left) => {
  const { acknowledged } = await copying()
  const after = cut()
  fs.writeFileSync(segment(after), left(fs.readFileSync(segment()), fs.statSync(segment(after)).size))
  expect((await readIn(after)).hashes).toEqual(acknowledged)
  expect(fs.readFileSync(segment(after)).subarray(0, fs.statSync(segment()).size)).toEqual(fs.readFileSync(segment()))
})

test('P1 also where a copy is put in the place of a log that was read here', async () => {
  const { acknowledged, log } = await copying()
  const reader = another().log
  expect((await readOf(reader)).hashes).toEqual(acknowledged)
  const after = cut()
  await log.close()
  fs.rmSync(path.dirname(redoIn()), { recursive: true })
  fs.renameSync(path.dirname(redoIn(after)), path.dirname(redoIn()))
  expect((await readOf(reader)).hashes).toEqual(acknowledged)
})

test('P1 of a copy that is damaged only the commits before the damage are put back', async () => {
  const { acknowledged } = await copying()
  const after = cut()
  const file = path.join(redoIn(after), redoFiles(after)[0] ?? '')
  const bytes = fs.readFileSync(file)
  const at = bytes.indexOf(acknowledged.at(-3) ?? '?')
  expect(at).toBeGreaterThan(0)
  fs.writeFileSync(file, bytes.fill('x', at, at + 1))
  expect(await readIn(after)).toEqual({ hashes: acknowledged.slice(0, -3), damage: undefined })
})

test('P1 nothing is put back behind what it does not follow from', async () => {
  await copying()
  const after = cut()
  const whole = fs.readFileSync(segment(after))
  fs.writeFileSync(segment(after), whole.fill('x', whole.length - 90, whole.length - 89))
  await readIn(after)
  expect(fs.readFileSync(segment(after))).toEqual(whole)
})

test('P1 nor where the log ends before: what has lost a race goes on from an earlier commit', async () => {
  const writer = another()
  await writer.append(1)
  const { seq, hash, offset } = writer.chain.position
  const lost = line(seq + 1, hash, 'lost').line
  await writer.append(2)
  const begin = writer.chain.position.offset
  const after = cut()
  fs.truncateSync(segment(after), offset)
  fs.mkdirSync(redoIn(after))
  const record = `redo 1 1 ${begin} ${lost.length}\n` + lost
  fs.writeFileSync(path.join(redoIn(after), '0123456789abcdef.redo'), record)
  expect((await readIn(after)).hashes).toEqual(writer.acknowledged.slice(0, 1))
  expect(fs.statSync(segment(after)).size).toBe(offset)
})

test.each([1, 2_000_000])(
  'P2 what another has written there, %d bytes or more, is not written over',
  async (length) => {
    await copying()
    const after = cut()
    const redo = fs.readFileSync(path.join(redoIn(after), redoFiles(after)[0] ?? ''))
    fs.rmSync(redoIn(after), { recursive: true })
    const other = another(after)
    await other.append('x'.repeat(length))
    fs.mkdirSync(redoIn(after))
    fs.writeFileSync(path.join(redoIn(after), '0123456789abcdef.redo'), redo)
    expect((await readIn(after)).hashes.at(-1)).toBe(other.acknowledged[0])
  },
)

test('P2 nor what was altered', async () => {
  const { acknowledged } = await copying()
  const altered = cut()
  const bytes = fs.readFileSync(segment())
  const at = bytes.indexOf(acknowledged.at(-3) ?? '?')
  fs.writeFileSync(segment(altered), bytes.fill('x', at, at + 1))
  expect((await readIn(altered)).damage).toBeDefined()
  expect(fs.readFileSync(segment(altered))).toEqual(bytes)
})

test('P2 nothing is put into a file that another has put in its place meanwhile', async () => {
  await copying()
  const after = cut()
  const { size } = fs.statSync(segment(after))
  const replacing = (was: typeof fs.openSync): typeof fs.openSync =>
    ((file, flags, mode) => {
      if (file === segment(after) && (Number(flags) & fs.constants.O_WRONLY) !== 0) {
        fs.copyFileSync(segment(after), `${segment(after)}.new`)
        fs.renameSync(`${segment(after)}.new`, segment(after))
      }
      return was(file, flags, mode)
    }) satisfies typeof fs.openSync
  await instead('openSync', replacing, () => readIn(after))
  expect(fs.statSync(segment(after)).size).toBe(size)
})

test('P2 nor into one that is there already when it is looked at: the redo file was moved aside before', async () => {
  const writer = await copying()
  const { layout } = writer.log
  const { offset } = writer.chain.position
  await writer.many(5)
  let isRead = false
  const repairing = (was: typeof fs.openSync): typeof fs.openSync =>
    ((file, flags, mode) => {
      const isLate = isRead && file === segment()
      isRead = path.dirname(String(file)) === redoIn()
      if (isLate) cutLog(layout, 's', { segment: 1, offset })
      return was(file, flags, mode)
    }) satisfies typeof fs.openSync
  await instead('openSync', repairing, () => readIn(layout.root))
  expect([redoFiles(), fs.statSync(segment()).size]).toEqual([[], offset])
})

test('what is no redo file is let alone, and a link is not followed', async () => {
  await copying()
  const after = cut()
  const size = fs.statSync(segment(after)).size
  const [name = ''] = redoFiles(after)
  fs.renameSync(path.join(redoIn(after), name), path.join(after, 'elsewhere'))
  fs.writeFileSync(path.join(redoIn(after), 'notes.txt'), 'redo 1 1 0 5\nhello')
  fs.mkdirSync(path.join(redoIn(after), '0123456789abcdef.redo'))
  await readIn(after)
  expect(fs.statSync(segment(after)).size).toBe(size)
  fs.symlinkSync(path.join(after, 'elsewhere'), path.join(redoIn(after), name))
  const log = new FilesLog(after, sha256)
  await expect(log.read('s', START).next()).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' })
  expect(fs.statSync(segment(after)).size).toBe(size)
})

test.each([
  [
    'another has archived meanwhile',
    'SESSION_NOT_FOUND',
    () => fs.renameSync(path.dirname(redoIn()), path.join(path.dirname(path.dirname(redoIn())), '.gone')),
  ],
  [
    'only another user may look into',
    'READ_ONLY',
    () => {
      throw failing('EACCES', 'scandir')
    },
  ],
])('a folder that %s: %s', async (_, code, meanwhile) => {
  await copying()
  const looking = (was: typeof fs.readdirSync) =>
    ((...args: Parameters<typeof fs.readdirSync>) => {
      if (args[0] === redoIn()) meanwhile()
      return was(...args)
    }) as typeof fs.readdirSync
  await instead('readdirSync', looking, async () => {
    const log = new FilesLog(path.dirname(path.dirname(path.dirname(redoIn()))), sha256)
    await expect(log.read('s', START).next()).rejects.toMatchObject({ code })
  })
})

test('a place that no file has is none of a segment', async () => {
  const { acknowledged } = await copying()
  const after = cut()
  fs.writeFileSync(path.join(redoIn(after), '0123456789abcdef.redo'), 'redo 1 1 9999999999999999 1\n\n')
  expect((await readIn(after)).hashes).toEqual(acknowledged)
})

test.each([
  ['EACCES', 'READ_ONLY'],
  ['ENOSPC', 'DISK_FULL'],
])('a log that cannot be put back is not read, nor said to be: %s', async (errno, code) => {
  await copying()
  const after = cut()
  const guarded = (was: typeof fs.openSync): typeof fs.openSync =>
    ((file, flags, mode) => {
      const writes = file === segment(after) && (Number(flags) & fs.constants.O_WRONLY) !== 0
      if (writes) throw failing(errno, 'open')
      return was(file, flags, mode)
    }) satisfies typeof fs.openSync
  await instead('openSync', guarded, async () => {
    const read = new FilesLog(after, sha256).read('s', START).next()
    await expect(read).rejects.toMatchObject({ code, hint: expect.not.stringContaining('reads') as unknown })
  })
})

test('R1 R2 S1 S3 P1 whatever several do, and whatever a power cut leaves of it, all that was acknowledged is there', async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        who: fc.nat(2),
        do: fc.constant('commits' as const),
        count: fc.integer({ min: 1, max: 45 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        who: fc.nat(2),
        do: fc.constant('large' as const),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        who: fc.nat(2),
        do: fc.constant('relaxed' as const),
        count: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ who: fc.nat(2), do: fc.constant('seal' as const), count: fc.constant(1) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        who: fc.nat(2),
        do: fc.constant('pause' as const),
        count: fc.integer({ min: 500, max: 12_000 }),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14 }),
      fc.infiniteStream(fc.nat(999)),
      async (steps, numbers) => {
        await end()
        await begin()
        const writers = [another(), another(), another()]
        for (const { who, do: what, count } of steps) {
          const writer = writers[who] ?? another()
          for (let i = 0; i < (what === 'pause' ? 0 : count); i++) {
            if (what === 'large') await writer.append('x'.repeat(9000))
            else if (what === 'seal') await writer.append(0, {}, SEAL_OP)
            else if (what === 'relaxed') await writer.append(i, { durability: 'relaxed' })
            else await writer.append(i, { isFollowed: count % 3 === 0 })
            if (i % 2 === 0) await new Promise(setImmediate)
          }
          if (what === 'pause') await vi.advanceTimersByTimeAsync(count)
          const random = () => (numbers.next().value ?? 0) / 1000
          const acknowledged = writers.flatMap((each) => each.acknowledged)
          for (const fate of [allLost, someLost(random), someLost(random, 4096)]) {
            const read = new Set((await readIn(cut(fate))).hashes)
            expect(acknowledged.filter((hash) => !read.has(hash))).toEqual([])
          }
        }
      },
    ),
    { numRuns: 12 },
  )
}, 60_000)
