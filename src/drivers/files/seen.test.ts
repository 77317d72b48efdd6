/* A log whose place another took, under those who have it open. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace } from '../../compose.ts'
import { repairSession } from '../../kernel/care/repair.ts'
import { makeCheckpoint } from '../../kernel/replica/make-checkpoint.ts'
import { Layout } from './layout.ts'
import { Seen } from './seen.ts'

let root: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'seen-'))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const kernel = () => filesKernel(root, { checkpoints: false })
const set = (value: number) => ['state.set', { path: '$.data.n', value }] as const
const fileOf = (id: string) => path.join(root, 'sessions', id, 'log', `${'1'.padStart(20, '0')}.jsonl`)

/** A session of five commits; `spoil` alters its fourth, and `mend` cuts it off and says something else instead. */
async function begin() {
  const session = await makeWorkspace(kernel()).createSession({ name: 'test' })
  for (let n = 1; n <= 4; n++) await session.run(...set(n))
  const { id } = session
  await session.close()
  const file = fileOf(id)
  const mend = async (more: number) => {
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":3', '"value":7'))
    await repairSession(kernel(), id)
    const other = await makeWorkspace(kernel()).session(id)
    for (let n = 0; n < more; n++) await other.run(...set(100 + n))
    const { seq } = other
    await other.close()
    return { seq, n: more === 0 ? 2 : 99 + more }
  }
  return { id, mend }
}

// Shorter than it was, about as long, and longer.
describe.each([0, 1, 5])('a repair, and %i commits behind it', (more) => {
  test('a reader that has it open reads the new one', async () => {
    const { id, mend } = await begin()
    const reader = await makeWorkspace(kernel()).session(id)
    expect(reader.get('$.data.n')).toBe(4)
    await reader.refresh()
    const { seq, n } = await mend(more)
    await reader.refresh()
    expect([reader.seq, reader.get('$.data.n')]).toEqual([seq, n])
    expect(await reader.run(...set(8))).toMatchObject({ kind: 'accepted', seq: seq + 1 })
  })

  test('a writer that has it open reads the new one, and its next commit stands there', async () => {
    const { id, mend } = await begin()
    const writer = await makeWorkspace(kernel()).session(id)
    await writer.run(...set(5))
    const { seq, n } = await mend(more)
    await new Promise((resolve) => setTimeout(resolve, 150))
    await writer.refresh()
    expect([writer.seq, writer.get('$.data.n')]).toEqual([seq, n])
    expect(await writer.run(...set(8))).toMatchObject({ kind: 'accepted', seq: seq + 1 })
    const again = await makeWorkspace(kernel()).session(id)
    expect([again.seq, again.get('$.data.n')]).toEqual([seq + 1, 8])
  })

  test('what stands in the new one is not read as if it stood behind a place of the old one', async () => {
    const { id, mend } = await begin()
    const { log } = kernel()
    const reader = await makeWorkspace(kernel()).session(id)
    const { position } = reader
    await mend(more)
    const read = async () => {
      for await (const { bytes } of log.read(id, position)) expect(bytes.length).toBe(0)
    }
    await expect(read()).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  test('who follows its commits is told, and does not wait for ever', async () => {
    const { id, mend } = await begin()
    const reader = await makeWorkspace(kernel()).session(id)
    const seqs: number[] = []
    const follow = async () => {
      for await (const { seq } of reader.commits({ live: true })) seqs.push(seq)
    }
    const ended = follow().catch((error: unknown) => error)
    await expect.poll(() => seqs).toEqual([1, 2, 3, 4, 5])
    await mend(more)
    expect(await ended).toMatchObject({ code: 'LOG_CORRUPT', details: { replaced: true } })
  })
})

/** A log in segments, the last of them begun or not yet: what is altered lies in the first. */
describe.each([1, 1000])('a repair that takes later segments of %i bytes away', (segmentBytes) => {
  const small = () => filesKernel(root, { checkpoints: false, segmentBytes })

  async function cutInSegments() {
    const session = await makeWorkspace(small()).createSession({ name: 'test' })
    for (let n = 1; n <= 6; n++) await session.run(...set(n))
    await session.close()
    const folder = path.dirname(fileOf(session.id))
    expect(fs.readdirSync(folder).length).toBeGreaterThan(1)
    const mend = async () => {
      const file = fileOf(session.id)
      const old = fs.readFileSync(file, 'utf8')
      fs.writeFileSync(file, old.replace('"name":"test"', '"name":"text"').replace('"value":1', '"value":7'))
      return repairSession(small(), session.id)
    }
    return { id: session.id, mend }
  }

  test('a reader that has it open reads the new one', async () => {
    const { id, mend } = await cutInSegments()
    const reader = await makeWorkspace(small()).session(id)
    await reader.refresh()
    await mend()
    await reader.refresh()
    expect(reader.seq).toBeLessThan(5)
  })

  test('who follows its commits is told, and does not wait for ever', async () => {
    const { id, mend } = await cutInSegments()
    const reader = await makeWorkspace(small()).session(id)
    let last = 0
    const follow = async () => {
      for await (const { seq } of reader.commits({ live: true })) last = seq
    }
    const ended = follow().catch((error: unknown) => error)
    await expect.poll(() => last).toBe(reader.seq)
    await mend()
    expect(await ended).toMatchObject({ code: 'LOG_CORRUPT', details: { replaced: true } })
  })
})

/** The log goes on with a commit of another session, or its last commit is lost, which a checkpoint stands at. */
const damages = {
  'with a commit that does not follow': async (id: string) => {
    const other = await makeWorkspace(kernel()).createSession({ name: 'other' })
    for (let n = 1; n <= 5; n++) await other.run(...set(n))
    await other.close()
    fs.appendFileSync(fileOf(id), `${fs.readFileSync(fileOf(other.id), 'utf8').split('\n')[5] ?? ''}\n`)
  },
  'short of its checkpoint': async (id: string) => {
    await makeCheckpoint(filesKernel(root), id)
    const lines = fs.readFileSync(fileOf(id), 'utf8').split('\n')
    fs.writeFileSync(fileOf(id), lines.slice(0, 4).join('\n').concat('\n'))
  },
}

describe.each(Object.entries(damages))('a log %s, damaged before it was opened', (_, damage) => {
  test('a reader that has it open goes on when it was repaired, and so does a writer', async () => {
    const { id } = await begin()
    await damage(id)
    const session = await makeWorkspace(filesKernel(root)).session(id)
    await session.refresh()
    const { seq, lives } = session
    expect(session.damage).toBeDefined()
    const told = await repairSession(filesKernel(root), id)
    await session.refresh()
    expect([session.damage, session.seq, session.lives]).toEqual([undefined, told.seq, lives + 1])
    expect(await session.run(...set(8))).toMatchObject({ kind: 'accepted', seq: seq + 2 })
  })
})

describe.each(['reader', 'follower', 'writer'])('a file that is short for a while, under a %s', (who) => {
  test('nothing is written behind what is left of it, and all goes on when it is whole again', async () => {
    const { id } = await begin()
    const session = await makeWorkspace(kernel()).session(id)
    const other = await makeWorkspace(kernel()).session(id)
    if (who !== 'reader') await (who === 'writer' ? session : other).run(...set(5))
    if (who === 'follower') await session.refresh()
    await other.close()
    const file = fileOf(id)
    const whole = fs.readFileSync(file)
    for (const left of [10, whole.length - 10]) {
      fs.truncateSync(file, left)
      await expect(session.run(...set(6))).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
      expect(fs.statSync(file).size).toBe(left)
      fs.writeFileSync(file, whole)
    }
    const { seq } = session
    expect(await session.run(...set(7))).toMatchObject({ kind: 'accepted', seq: seq + 1 })
    const again = await makeWorkspace(kernel()).session(id)
    expect([again.damage, again.seq, again.get('$.data.n')]).toEqual([undefined, seq + 1, 7])
  })
})

test('only that a position stands is remembered, not that it could not be told', () => {
  const id = '01a20000-0000-7000-8000-000000000000'
  const layout = new Layout(root)
  fs.mkdirSync(layout.log(id), { recursive: true })
  // A segment without its seal, and one behind it.
  for (const first of [1, 5]) fs.writeFileSync(layout.segment(id, first), 'x\n')
  const position = { seq: 4, hash: 'a'.repeat(64), segment: 5, offset: 0 }
  const seen = new Seen(layout, sha256)
  expect([seen.stands(id, position), seen.hasGrown(id, position), seen.stands(id, position)]).toEqual([
    'short',
    true,
    'short',
  ])
})
