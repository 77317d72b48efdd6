import * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainOf, filesLog, sha256, temporaryFolder, together } from '../../../test/conformance/kit.ts'
import { failing, instead } from '../../../test/power-cut.ts'
import { START } from '../../kernel/log/chain.ts'
import type { Position } from '../../kernel/ports.ts'
import { archiveSession, restoreSession } from './archive.ts'
import { fileShelf } from './archived.ts'
import { FilesLog } from './files.ts'

let root: string
let log: FilesLog

beforeEach(async () => {
  ;({ root, log } = await filesLog())
})
afterEach(() => log.close())

async function write(count: number, tag?: string): Promise<Position> {
  const answer = await log.append('s', together(...chainOf(count, START, tag)), START, { durability: 'durable' })
  if (answer.kind === 'conflict') throw new Error('conflict')
  await answer.durable
  return answer.position
}

const archived = () => fs.readdirSync(log.layout.archive).filter((name) => !name.startsWith('.'))

test('a session that another process has archived is not found, even by one that had it open', async () => {
  const position = await write(1)
  await log.release('s')
  await new FilesLog(root, sha256).archive('s')
  expect(() => log.peek('s', position)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
  await expect(log.read('s', position).next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('nor does who had it open vouch for what was read of it, and no sync has failed', async () => {
  const position = await write(1)
  await new FilesLog(root, sha256).archive('s')
  await expect(log.sync('s')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  restoreSession(log.layout, 's', 's')
  await log.sync('s')
  expect(await log.stands('s', position)).toBe('yes')
})

test('nor does who is at it when it is archived', async () => {
  await write(1)
  const builtin = process.getBuiltinModule('node:fs')
  const real = builtin.fdatasyncSync
  builtin.fdatasyncSync = (fd) => {
    builtin.fdatasyncSync = real
    syncBuiltinESMExports()
    real(fd)
    archiveSession(new FilesLog(root, sha256).layout, 's')
  }
  syncBuiltinESMExports()
  await expect(log.sync('s')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

test('a second session of the same id does not vanish behind the first', async () => {
  await write(1, 'first')
  const first = await log.archive('s')
  await log.create('s')
  await write(2, 'second')
  const second = await log.archive('s')
  expect(second).not.toBe(first)
  expect(archived()).toHaveLength(2)
})

test('killed between the copy and the removal it goes on with the same copy', async () => {
  await write(1)
  const kept = temporaryFolder()
  fs.cpSync(log.layout.session('s'), kept, { recursive: true })
  const first = await log.archive('s')
  fs.cpSync(kept, log.layout.session('s'), { recursive: true })
  expect(await log.archive('s')).toBe(first)
  expect(archived()).toHaveLength(1)
})

test('one that is damaged is a copy of nothing: it stays listed, and the session is archived beside it', async () => {
  await write(1)
  const kept = temporaryFolder()
  fs.cpSync(log.layout.session('s'), kept, { recursive: true })
  const first = await log.archive('s')
  fs.cpSync(kept, log.layout.session('s'), { recursive: true })
  const [segment = ''] = fs.readdirSync(`${first}/log`)
  fs.writeFileSync(`${first}/log/${segment}`, 'no gzip')
  const listed = async () => {
    const names: string[] = []
    for await (const name of (await log.attic()).log.list()) names.push(name)
    return names
  }
  expect(await listed()).toEqual(['s'])
  expect(await log.archive('s')).toBe(`${first}.2`)
  expect(await listed()).toEqual(['s', 's.2'])
})

test.each(['is gone', 'is damaged'])(
  'nor is one of which a blob %s: the session is archived beside it',
  async (how) => {
    await write(1)
    const hash = await log.blobs.put('s', Buffer.from('what was paid for'))
    const kept = temporaryFolder()
    fs.cpSync(log.layout.session('s'), kept, { recursive: true })
    const first = await log.archive('s')
    fs.cpSync(kept, log.layout.session('s'), { recursive: true })
    const blob = `${first}/blobs/sha256/${hash.slice(0, 2)}/${hash}.gz`
    if (how === 'is gone') fs.rmSync(blob)
    else fs.writeFileSync(blob, 'no gzip')
    expect(await log.archive('s')).toBe(`${first}.2`)
    restoreSession(log.layout, 's.2', 's')
    expect(await log.blobs.get('s', hash)).toEqual(Buffer.from('what was paid for'))
  },
)

test('a file in place of the archive is told, and the session stays', async () => {
  await write(1)
  fs.writeFileSync(log.layout.archive, 'no folder')
  await expect(log.archive('s')).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' })
  expect(fs.existsSync(log.layout.session('s'))).toBe(true)
})

test.each(['archive', 'archive/s/log', 'sessions/s/log'])('%s that may not be read is told as that', async (folder) => {
  await write(1)
  const kept = temporaryFolder()
  fs.cpSync(log.layout.session('s'), kept, { recursive: true })
  await log.archive('s')
  fs.cpSync(kept, log.layout.session('s'), { recursive: true })
  const shelf = fileShelf(log.layout)
  const reading = async () => [await shelf.list()[Symbol.asyncIterator]().next(), await shelf.segments('s')]
  const guarded = (was: typeof fs.readdirSync) =>
    ((...args: Parameters<typeof was>) => {
      if (args[0] === `${log.layout.root}/${folder}`) throw failing('EACCES', 'scandir')
      return was(...args)
    }) as typeof was
  await instead('readdirSync', guarded, () => expect(reading()).rejects.toMatchObject({ code: 'READ_ONLY' }))
})

/** Does something before the n-th rename of `work`. */
async function overtaking(
  nth: number,
  meanwhile: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const builtin = process.getBuiltinModule('node:fs')
  const real = builtin.renameSync
  let [renames, done] = [0, Promise.resolve<unknown>(undefined)]
  builtin.renameSync = (...names) => {
    if (++renames === nth) done = meanwhile()
    real(...names)
  }
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    builtin.renameSync = real
    syncBuiltinESMExports()
    await done
  }
}

const RENAMES = [1, 2, 3, 4]
const NOT_THERE = expect.objectContaining({ code: expect.stringMatching(/^(SESSION_NOT_FOUND|NAME_TAKEN)$/) })

test.each(RENAMES)('of two who archive it at once one has, and the other finds it gone: rename %s', async (nth) => {
  await write(1)
  const layout = new FilesLog(root, sha256).layout
  const other = async () => archiveSession(layout, 's')
  const both = await Promise.allSettled([overtaking(nth, other, () => log.archive('s'))])
  for (const each of both) if (each.status === 'rejected') expect(each.reason).toEqual(NOT_THERE)
  expect(archived()).toEqual(['s'])
  expect(fs.existsSync(log.layout.session('s'))).toBe(false)
})

test.each(RENAMES)('of two who bring it back at once one has, and the other finds it there: rename %s', async (nth) => {
  await write(1)
  await log.archive('s')
  const other = async () => restoreSession(log.layout, 's', 's')
  const both = await Promise.allSettled([overtaking(nth, other, async () => restoreSession(log.layout, 's', 's'))])
  for (const each of both) if (each.status === 'rejected') expect(each.reason).toEqual(NOT_THERE)
  expect(archived()).toEqual([])
  expect(fs.existsSync(log.layout.session('s'))).toBe(true)
})
