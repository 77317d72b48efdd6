import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainOf, filesLog, line, sha256, together, type Line } from '../../../test/conformance/kit.ts'
import { Chain, START } from '../../kernel/log/chain.ts'
import { SEAL_OP } from '../../kernel/log/commit.ts'
import { scanLog } from '../../kernel/log/replay.ts'
import type { Position } from '../../kernel/ports.ts'
import { FilesLog } from './files.ts'
import { Segment } from './segment.ts'
import { SyncGauge } from './sync-gauge.ts'

const real = { ...fs }
const replaced: string[] = []
let root: string
let log: FilesLog

beforeEach(async () => {
  ;({ root, log } = await filesLog())
})

afterEach(async () => {
  replace(Object.fromEntries(replaced.splice(0).map((name) => [name, Reflect.get(real, name)])))
  await log.close()
})

function replace(methods: Partial<typeof fs>): void {
  replaced.push(...Object.keys(methods))
  Object.assign(fs, methods)
  syncBuiltinESMExports()
}

const fileOf = (first: number) => log.layout.segment('s', first)
const nameOf = (fd: number) => real.readlinkSync(`/proc/self/fd/${fd}`)

async function append(lines: readonly Line[], after: Position, durability: 'durable' | 'relaxed' = 'durable') {
  const answer = await log.append('s', together(...lines), after, { durability })
  if (answer.kind === 'conflict') return undefined
  await answer.durable
  return answer.position
}

async function appended(
  lines: readonly Line[],
  after: Position,
  durability: 'durable' | 'relaxed' = 'durable',
): Promise<Position> {
  const position = await append(lines, after, durability)
  if (position === undefined) throw new Error('conflict')
  return position
}

async function scanned(): Promise<Chain> {
  const chain = new Chain(START, sha256)
  for await (const _ of scanLog(log, 's', chain)) continue
  return chain
}

const seal = ({ seq, hash }: Position): Line => line(seq + 1, hash, 0, SEAL_OP)

describe('others who write at the same time', () => {
  test('L5 who looked once sees by reading back that a stranger was there meanwhile', async () => {
    const first = await appended(chainOf(1, START), START)
    expect(log.peek('s', first)).toHaveLength(0)
    const theirs = line(2, first.hash, 'theirs')
    real.appendFileSync(fileOf(1), theirs.line)
    expect(await append([line(2, first.hash, 'ours')], first)).toBeUndefined()
    const chain = await scanned()
    expect(chain).toMatchObject({ position: { seq: 2, hash: theirs.hash }, races: 1, damage: undefined })
  })

  test('L5 a line that a stranger left unfinished meanwhile costs one attempt', async () => {
    const first = await appended(chainOf(1, START), START)
    expect(log.peek('s', first)).toHaveLength(0)
    real.appendFileSync(fileOf(1), '{"v":1,"seq":2,"at"')
    const ours = line(2, first.hash)
    expect(await append([ours], first)).toBeUndefined()
    const position = await appended([ours], first)
    const chain = await scanned()
    expect(chain).toMatchObject({ position, damage: undefined })
  })

  test.each([40, 100_000])(
    'L5 a fragment of %i bytes that the caller has looked at is written behind',
    async (length) => {
      const first = await appended(chainOf(1, START), START)
      real.appendFileSync(fileOf(1), '{'.padEnd(length, 'x'))
      log.peek('s', first)
      const position = await appended(chainOf(2, first), first)
      expect(await scanned()).toMatchObject({ position, damage: undefined })
    },
  )

  test('L3 a group that lands behind the fragment of a cut write damages nothing', async () => {
    const first = await appended(chainOf(1, START), START)
    let done = false
    const writeSync = (...args: Parameters<typeof fs.writeSync>) => {
      if (!done) real.appendFileSync(fileOf(1), '{"v":1,"seq":2,"at"')
      done = true
      return real.writeSync(...args)
    }
    replace({ writeSync: writeSync as typeof fs.writeSync })
    const position = await append(chainOf(3, first), first)
    const chain = await scanned()
    expect(chain.damage).toBeUndefined()
    expect(chain.position).toEqual(position ?? first)
  })

  test('L3 nothing is written behind damage', async () => {
    const first = await appended(chainOf(1, START), START)
    real.appendFileSync(fileOf(1), line(7, '7'.repeat(64)).line)
    const { size } = real.statSync(fileOf(1))
    expect(await append(chainOf(1, first), first)).toBeUndefined()
    expect(real.statSync(fileOf(1)).size).toBe(size)
  })
})

test('a stray file beside the sessions hides none of them', async () => {
  real.writeFileSync(`${log.layout.sessions}/notes.txt`, 'mine')
  const names: string[] = []
  for await (const name of log.list()) names.push(name)
  expect(names).toEqual(['s'])
})

describe('L5 failures', () => {
  test('L5 after a failed sync no other sync of this process vouches for the session', async () => {
    const first = await appended(chainOf(1, START), START)
    let failing = true
    const fdatasyncSync = (fd: number) => {
      if (failing) throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' })
      real.fdatasyncSync(fd)
    }
    replace({ fdatasyncSync })
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    failing = false
    await expect(log.sync('s')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await log.release('s')
    await expect(log.sync('s')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  test('L5 of two syncs at once the one that does not hear of the failure vouches for nothing', async () => {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    const fdatasyncSync = (fd: number) => {
      Atomics.wait(pause, 0, 0, 3)
      real.fdatasyncSync(fd)
    }
    let calls = 0
    let failing = false
    // As Linux does: the error is told once for an open file.
    const fdatasync = (_fd: number, done: fs.NoParamCallback) => {
      const first = failing && ++calls === 1
      const told = first ? Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' }) : null
      setTimeout(() => done(told), first ? 30 : 1)
    }
    replace({ fdatasyncSync, fdatasync: fdatasync as typeof fs.fdatasync })
    let position = START
    for (let i = 0; i < 8; i++) position = await appended(chainOf(1, position), position)
    failing = true
    const one = await log.append('s', together(...chainOf(1, position)), position, { durability: 'durable' })
    if (one.kind === 'conflict') throw new Error('conflict')
    const two = await log.append('s', together(...chainOf(1, one.position)), one.position, { durability: 'durable' })
    if (two.kind === 'conflict') throw new Error('conflict')
    const settled = await Promise.allSettled([one.durable, two.durable])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('L5 lines that cannot be read back may count: the outcome is unknown', async () => {
    const first = await appended(chainOf(1, START), START)
    const eio = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' })
    const readSync: unknown = (...args: Parameters<typeof fs.readSync>) => {
      if (Reflect.get(args, 4) === first.offset) throw eio
      return real.readSync(...args)
    }
    replace({ readSync: readSync as typeof fs.readSync })
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  test('L5 a log whose end cannot be read takes no line', async () => {
    const first = await appended(chainOf(1, START), START)
    const readSync = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' })
    }
    replace({ readSync })
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('a segment that is closed while it is synced stays open until the sync is done', async () => {
    const segment = new Segment(fileOf(1), 1, log.layout.redo('s'), sha256)
    const later = (fd: number, done: fs.NoParamCallback) => void setTimeout(() => real.fdatasync(fd, done), 20)
    replace({ fdatasync: later as typeof fs.fdatasync })
    const synced = segment.durable(new SyncGauge(), { isAlone: true, isFollowed: true })
    segment.close()
    await expect(synced).resolves.toBeUndefined()
  })
})

describe('a log that was replaced under an open writer', () => {
  test('a writer does not acknowledge what it wrote into a file that a repair has put aside', async () => {
    const first = await appended(chainOf(3, START), START)
    await new FilesLog(root, sha256).repair('s', { segment: 1, offset: 0 })
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  test('a writer leaves a log alone that went on differently', async () => {
    const first = await appended(chainOf(3, START), START)
    const other = new FilesLog(root, sha256)
    await other.repair('s', { segment: 1, offset: 0 })
    await other.append('s', together(...chainOf(9, START, 'other')), START, { durability: 'durable' })
    for (const _ of [1, 2])
      await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    expect((await scanned()).position.seq).toBe(9)
    await other.close()
  })

  test('a writer does not acknowledge into a session that was archived', async () => {
    const first = await appended(chainOf(1, START), START)
    await new FilesLog(root, sha256).archive('s')
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('F1 segments', () => {
  test('F1 the segment before is synced before the file of the next one is made', async () => {
    const first = await appended(chainOf(1, START), START)
    const sealed = await appended([seal(first)], first, 'relaxed')
    const order: string[] = []
    const fdatasyncSync = (fd: number) => (order.push(`sync ${nameOf(fd)}`), real.fdatasyncSync(fd))
    const openSync = (...args: Parameters<typeof fs.openSync>) => (order.push(String(args[0])), real.openSync(...args))
    replace({ fdatasyncSync, openSync })
    await appended(chainOf(1, sealed), sealed)
    const next = order.indexOf(fileOf(sealed.segment))
    expect(order.slice(0, next)).toContain(`sync ${fileOf(1)}`)
    expect(await log.stands('s', sealed)).toBe('yes')
  })

  test('F1 no segment is begun behind a seal that stands no more', async () => {
    const first = await appended(chainOf(1, START), START)
    const sealed = await appended([seal(first)], first)
    real.writeFileSync(fileOf(1), real.readFileSync(fileOf(1)).subarray(0, first.offset))
    await expect(append(chainOf(1, sealed), sealed)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    expect(fs.existsSync(fileOf(sealed.segment))).toBe(false)
  })

  /** Where the folder of the log cannot be opened, or synced, while the first line is written. */
  async function unnamed(method: 'openSync' | 'fsyncSync', syscall: string): Promise<Position> {
    const fails = (what: string | number, ...rest: unknown[]): unknown => {
      if ((typeof what === 'number' ? nameOf(what) : what) !== log.layout.log('s'))
        return Reflect.apply(real[method], fs, [what, ...rest])
      throw Object.assign(new Error(syscall), { code: 'EMFILE', syscall })
    }
    replace({ [method]: fails })
    const answer = await log.append('s', together(...chainOf(1, START)), START, { durability: 'durable' })
    if (answer.kind === 'conflict') throw new Error('nobody else writes')
    await expect(answer.durable).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    replace({ [method]: real[method] })
    return answer.position
  }

  test('F1 a name for which there was no descriptor is synced by the next append', async () => {
    const first = await unnamed('openSync', 'open')
    const synced: string[] = []
    replace({ fsyncSync: (fd: number) => (synced.push(nameOf(fd)), real.fsyncSync(fd)) })
    await append(chainOf(1, first), first)
    expect(synced).toContain(log.layout.log('s'))
  })

  test('F1 behind a name whose sync failed nothing is acknowledged', async () => {
    const first = await unnamed('fsyncSync', 'fsync')
    await expect(append(chainOf(1, first), first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  test('F1 whoever meets a segment first does not trust its name', async () => {
    const first = await appended(chainOf(1, START), START)
    const sealed = await appended([seal(first)], first, 'relaxed')
    real.writeFileSync(fileOf(sealed.segment), '')
    const other = new FilesLog(root, sha256)
    const synced: string[] = []
    replace({ fdatasyncSync: (fd: number) => (synced.push(nameOf(fd)), real.fdatasyncSync(fd)) })
    await other.append('s', together(...chainOf(1, sealed)), sealed, { durability: 'durable' })
    expect(synced).toContain(fileOf(1))
    await other.close()
  })

  test('a session that nobody has open holds no file open', async () => {
    await appended(chainOf(1, START), START)
    await log.release('s')
    const open = real.readdirSync('/proc/self/fd').map((fd) => {
      try {
        return nameOf(Number(fd))
      } catch {
        return ''
      }
    })
    expect(open).not.toContain(fileOf(1))
  })
})
