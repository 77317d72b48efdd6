/* S1 to S3: in which file commits are synced, and when a redo file goes. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  another,
  copying,
  cut,
  failing,
  instead,
  onSyncedDisk,
  readIn,
  redoFiles,
  redoIn,
  segment,
  syncs,
} from '../../../test/power-cut.ts'
import { SEAL_OP } from '../../kernel/log/commit.ts'
import { restoreSession } from './archive.ts'

onSyncedDisk()

const synced = () => syncs().filter((file) => file === segment()).length

test('S2 with the log that is closed, behind a sync of the segment', async () => {
  const writer = await copying()
  const before = synced()
  await writer.log.close()
  expect([synced() - before, redoFiles()]).toEqual([1, []])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('S2 three seconds after the last commit', async () => {
  const writer = await copying()
  const before = synced()
  await vi.advanceTimersByTimeAsync(6500)
  await vi.waitFor(() => expect(redoFiles()).toEqual([]))
  expect(synced() - before).toBe(1)
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
  await writer.many(50)
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('a caller who thinks for two seconds goes on in the same one', async () => {
  const writer = await copying()
  const [before, files] = [synced(), redoFiles()]
  await vi.advanceTimersByTimeAsync(2500)
  await writer.append('late')
  expect([synced() - before, redoFiles()]).toEqual([0, files])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('S2 a commit is acknowledged, and the log goes on, also where it cannot be taken away', async () => {
  const writer = await copying()
  const guarded = () => () => {
    throw failing('EPERM', 'unlink')
  }
  vi.setSystemTime(Date.now() + 3500)
  await instead('rmSync', guarded, () => writer.append('late'))
  await writer.append('later')
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('S2 it stays when the segment cannot be synced, and is not taken for one that was left', async () => {
  const writer = await copying()
  const [name = ''] = redoFiles()
  const broken = (was: typeof fs.fdatasyncSync) => (fd: number) => {
    if (fs.readlinkSync(`/proc/self/fd/${fd}`) === segment()) throw failing('EIO', 'fdatasync')
    was(fd)
  }
  await instead('fdatasyncSync', broken, () => writer.log.close())
  expect(redoFiles()).toEqual([name.replace('redo', 'kept')])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
  await expect(another().log.sync('s')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
})

test.each(['redo file', 'segment'])('S1 nothing is acknowledged behind a sync of the %s that failed', async (which) => {
  const writer = await copying()
  const broken = (was: typeof fs.fdatasyncSync) => (fd: number) => {
    const isSegment = fs.readlinkSync(`/proc/self/fd/${fd}`) === segment()
    if (isSegment === (which === 'segment')) throw failing('EIO', 'fdatasync')
    was(fd)
  }
  const more = () => writer.append('x'.repeat(which === 'segment' ? 20_000 : 1))
  await instead('fdatasyncSync', broken, () => expect(more()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' }))
  await expect(more()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await writer.log.close()
  expect(redoFiles()).toEqual([expect.stringMatching(/\.kept$/)])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('S2 it stays when another sync of the session has failed, though the next one answers well', async () => {
  const writer = await copying()
  const broken = () => () => {
    throw failing('EIO', 'fdatasync')
  }
  await instead('fdatasyncSync', broken, () => expect(writer.log.sync('s')).rejects.toThrow())
  await writer.log.close()
  expect(redoFiles()).toEqual([expect.stringMatching(/\.kept$/)])
})

test.each(['fsync', 'fdatasync'] as const)(
  'S1 nothing is acknowledged behind a failure of %s while a redo file is made ready',
  async (which) => {
    const [left, writer] = [await copying(), another()]
    const [name = ''] = redoFiles()
    fs.utimesSync(path.join(redoIn(), name), 1, 1)
    await writer.many(32)
    type Sync = (fd: number, done: fs.NoParamCallback) => void
    const broken = (was: Sync) =>
      ((fd, done) => {
        if (redoFiles().length > 1) done(failing('EIO', which))
        else was(fd, done)
      }) as typeof fs.fsync & typeof fs.fdatasync
    await instead(which, broken, () => expect(writer.many(9)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' }))
    await expect(writer.append(2)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(redoFiles()).toContain(name)
    expect((await readIn(cut())).hashes).toEqual(expect.arrayContaining([...left.acknowledged, ...writer.acknowledged]))
  },
)

test('S1 what is flushed beside a sync that is under way is synced in the segment', async () => {
  const writer = await copying()
  await writer.append('relaxed', { durability: 'relaxed' })
  vi.advanceTimersByTime(500)
  const held: fs.NoParamCallback[] = []
  const hold = () => ((_fd, done) => void held.push(done)) as typeof fs.fdatasync
  await instead('fdatasync', hold, async () => {
    const under = writer.append('under way', { isFollowed: true })
    await vi.waitFor(() => expect(held.length).toBe(1))
    const before = synced()
    vi.advanceTimersByTime(500)
    expect(synced() - before).toBe(1)
    held[0]?.(null)
    await under
  })
})

test('S3 after a pause it is not trusted: the segment is synced, and another is made when commits follow', async () => {
  const writer = await copying()
  const [name] = redoFiles()
  fs.rmSync(redoIn(), { recursive: true })
  vi.setSystemTime(Date.now() + 3500)
  const before = synced()
  await writer.append('late')
  expect(synced() - before).toBe(1)
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
  await writer.many(50)
  expect(redoFiles()).not.toEqual([name])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('S3 who was held up before the acknowledgement syncs the segment, too', async () => {
  const writer = await copying()
  const slow = (was: typeof fs.fdatasyncSync) => (fd: number) => {
    was(fd)
    vi.setSystemTime(Date.now() + 6000)
  }
  const before = synced()
  await instead('fdatasyncSync', slow, () => writer.append('late'))
  expect([synced() - before, redoFiles()]).toEqual([1, []])
})

test('what a writer left that was killed goes ten seconds later, with the next one, and not what is in use', async () => {
  await copying()
  const [left = ''] = redoFiles()
  const old = new Date(Date.now() - 11_000)
  const theirs = another()
  await theirs.many(50)
  expect(redoFiles().length).toBe(2)
  const kept = path.join(redoIn(), '0123456789abcdef.kept')
  fs.writeFileSync(kept, '')
  for (const file of [kept, path.join(redoIn(), left)]) fs.utimesSync(file, old, old)
  await another().many(50)
  expect(redoFiles().length).toBe(3)
  expect(redoFiles()).not.toContain(left)
  expect(redoFiles()).toContain(path.basename(kept))
})

test('S3 who was held up before the copy syncs the segment, too', async () => {
  const writer = await copying()
  const { size } = fs.statSync(segment())
  await writer.append('late')
  const length = fs.statSync(segment()).size - size
  // Read back first, then to be copied.
  let reads = 0
  const slow = (was: typeof fs.readSync) =>
    ((...args: Parameters<typeof fs.readSync>) => {
      if ((args as readonly unknown[])[3] === length && ++reads === 2) vi.setSystemTime(Date.now() + 11_000)
      return was(...args)
    }) as typeof fs.readSync
  const before = synced()
  await instead('readSync', slow, () => writer.append('late'))
  expect([reads, synced() - before, redoFiles()]).toEqual([2, 1, []])
})

test('nor does what another writes to, when whoever makes the next one is held up before he looks', async () => {
  const [alive, slow] = [await copying(), another()]
  const theirs = redoFiles()
  const held: (() => void)[] = []
  const hold = (was: typeof fs.fsync) => ((fd, done) => void held.push(() => was(fd, done))) as typeof fs.fsync
  await instead('fsync', hold, async () => {
    await slow.many(40)
    const old = new Date(Date.now() - 11_000)
    for (const name of redoFiles()) if (!theirs.includes(name)) fs.utimesSync(path.join(redoIn(), name), old, old)
    for (let i = 0; i < 2; i++) {
      await vi.waitFor(() => expect(held.length).toBe(i + 1))
      held[i]?.()
    }
    await new Promise(setImmediate)
  })
  await slow.append('on its way')
  await alive.many(2)
  expect((await readIn(cut())).hashes).toEqual(expect.arrayContaining(alive.acknowledged))
  expect(redoFiles()).toEqual(expect.arrayContaining([...theirs]))
})

test.each(['behind what is being synced', 'in a later segment'])(
  'what a writer left that was killed stays while what it holds %s may be lost',
  async (where) => {
    const [slow, killed] = [another(), another()]
    await slow.many(32)
    const held: (() => void)[] = []
    const hold = (was: typeof fs.fdatasync) =>
      ((fd, done) => was(fd, (error) => held.push(() => done(error)))) as typeof fs.fdatasync
    await instead('fdatasync', hold, async () => {
      const under = slow.append('under way', { isFollowed: true })
      await vi.waitFor(() => expect(held.length).toBe(1))
      if (where === 'in a later segment') await killed.append(0, {}, SEAL_OP)
      await killed.many(50)
      const [left = ''] = redoFiles()
      const old = new Date(Date.now() - 11_000)
      fs.utimesSync(path.join(redoIn(), left), old, old)
      held[0]?.()
      await under
    })
    expect((await readIn(cut())).hashes).toEqual(expect.arrayContaining([...slow.acknowledged, ...killed.acknowledged]))
  },
)

test('it is not archived', async () => {
  const writer = await copying()
  const step = path.join(path.dirname(redoIn()), 'work', 'redo')
  fs.mkdirSync(step, { recursive: true })
  fs.writeFileSync(path.join(step, 'stdout'), 'of a step')
  const place = await writer.log.archive('s')
  expect(fs.readdirSync(place)).toContain('log')
  expect(fs.readdirSync(place)).not.toContain('redo')
  expect(fs.readdirSync(path.join(place, 'work', 'redo'))).toEqual(['stdout.gz'])
  restoreSession(writer.log.layout, 's', 's')
  expect(fs.readFileSync(path.join(step, 'stdout'), 'utf8')).toBe('of a step')
})

test('a repair puts it aside: it holds what is cut', async () => {
  const writer = await copying()
  const names = redoFiles()
  const kept = await another().log.repair('s', { segment: 1, offset: 0 })
  expect(redoFiles()).toEqual([])
  expect(kept.map((file) => path.basename(file))).toEqual(expect.arrayContaining([...names]))
  await expect(writer.append('more')).rejects.toThrow()
})

test('a power cut while a repair is at it takes nothing of what stands before the damage', async () => {
  const writer = await copying()
  let after = ''
  const cutting = (was: typeof fs.renameSync): typeof fs.renameSync =>
    ((from, to) => {
      was(from, to)
      if (String(from).endsWith('.redo')) after = cut()
    }) satisfies typeof fs.renameSync
  const { offset } = writer.chain.position
  await instead('renameSync', cutting, () => another().log.repair('s', { segment: 1, offset }))
  expect((await readIn(after)).hashes).toEqual(writer.acknowledged)
})
