/* R1, R2: what a redo file holds, and when there is one. */
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
import { copyIn } from './redo-file.ts'

onSyncedDisk()

test('R1 each record begins where the one before ends, also where others wrote in between', async () => {
  const [mine, theirs] = [await copying(), another()]
  for (let i = 0; i < 5; i++) {
    await theirs.append(`theirs ${i}`)
    await mine.append(`mine ${i}`)
    expect((await readIn(cut())).hashes).toEqual(expect.arrayContaining([...mine.acknowledged, ...theirs.acknowledged]))
  }
})

test('R2 it is begun anew behind a sync of the segment, and never grows', async () => {
  const writer = await copying()
  const [name = ''] = redoFiles()
  const { size } = fs.statSync(path.join(redoIn(), name))
  const synced = () => syncs().filter((file) => file === segment()).length
  const before = synced()
  for (let i = 0; i < 60; i++) await writer.append('x'.repeat(10_000))
  expect(synced() - before).toBeGreaterThan(1)
  expect(synced() - before).toBeLessThan(6)
  expect([redoFiles(), fs.statSync(path.join(redoIn(), name)).size]).toEqual([[name], size])
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('few commits, and large ones, have none', async () => {
  const writer = another()
  await writer.many(20)
  for (let i = 0; i < 60; i++) await writer.append('x'.repeat(20_000))
  expect(redoFiles()).toEqual([])
})

test('commits with pauses between them have none', async () => {
  const writer = another()
  for (let i = 0; i < 60; i++) {
    await writer.append(i)
    vi.setSystemTime(Date.now() + 1001)
  }
  expect(redoFiles()).toEqual([])
})

test('a disk that is almost full has room for the log alone', async () => {
  const full = { bavail: 1000, bsize: 4096 }
  await instead(
    'statfsSync',
    () => (() => full) as unknown as typeof fs.statfsSync,
    () => another().many(100),
  )
  expect(redoFiles()).toEqual([])
})

test('where none can be made it is tried again thirty commits later, not with each', async () => {
  let tries = 0
  const limited = () =>
    (() => {
      tries++
      throw failing('EFBIG', 'write')
    }) as unknown as typeof fs.statfsSync
  await instead('statfsSync', limited, () => another().many(140))
  expect([tries, redoFiles()]).toEqual([4, []])
})

test('its name is synced, and that of its folder, though another made the folder, who may have been killed before he did', async () => {
  fs.mkdirSync(redoIn())
  const named: string[] = []
  const noted = (was: typeof fs.fsync) =>
    ((fd, done) => {
      named.push(fs.readlinkSync(`/proc/self/fd/${fd}`))
      was(fd, done)
    }) as typeof fs.fsync
  await instead('fsync', noted, copying)
  expect(named).toEqual([redoIn(), path.dirname(redoIn())])
})

test('before its name is synced nothing is copied to it', async () => {
  const never = () => (() => undefined) as unknown as typeof fs.fsync
  await instead('fsync', never, async () => {
    const writer = await copying()
    const after = cut()
    fs.rmSync(redoIn(after), { recursive: true })
    expect((await readIn(after)).hashes).toEqual(writer.acknowledged)
  })
})

test('the seal of a segment is synced where it stands, and the next segment gets a file of its own', async () => {
  const writer = await copying()
  await writer.append(0, {}, SEAL_OP)
  expect(syncs().at(-1)).toBe(segment())
  const next = writer.chain.position.segment
  await writer.many(50)
  expect(redoFiles().length).toBe(1)
  expect(syncs()).toContain(segment(undefined, next))
  expect((await readIn(cut())).hashes).toEqual(writer.acknowledged)
})

test('R1 what does not go on where the record before ends was there before', () => {
  const record = (first: number, offset: number, text: string) => `redo 1 ${first} ${offset} ${text.length}\n${text}`
  const [one, two] = [record(1, 100, 'one\n'), record(1, 104, 'two\n')]
  const copied = (...texts: readonly string[]) => {
    const copy = copyIn(Buffer.from(texts.join('')))
    return copy && [copy.first, copy.offset, copy.bytes.toString()]
  }
  expect(copied('\n\n\n')).toBeUndefined()
  expect(copied(one, two, '\n\n')).toEqual([1, 100, 'one\ntwo\n'])
  expect(copied(one, two, 'rest of a line\n', record(1, 108, 'old'))).toEqual([1, 100, 'one\ntwo\n'])
  expect(copied(one, record(1, 90, 'old'))).toEqual([1, 100, 'one\n'])
  expect(copied(one, record(9, 104, 'old'))).toEqual([1, 100, 'one\n'])
  expect(copied(one, two.slice(0, -1))).toEqual([1, 100, 'one\n'])
})
