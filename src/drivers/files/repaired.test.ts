/* A log is repaired, and cut, under somebody who has it open. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { line, overriding, temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace } from '../../compose.ts'
import { repairSession } from '../../kernel/care/repair.ts'
import { verifySession } from '../../kernel/care/verify.ts'
import type { Settings } from '../../kernel/kernel.ts'
import type { CheckpointStore } from '../../kernel/ports.ts'
import { makeCheckpoint } from '../../kernel/replica/make-checkpoint.ts'
import type { Session } from '../../kernel/session.ts'

const set = (value: unknown) => ['state.set', { path: '$.data.n', value }] as const

async function begin(settings: Partial<Settings> = {}) {
  const root = temporaryFolder()
  const kernel = () => filesKernel(root, { checkpoints: false, ...settings })
  const open = () => makeWorkspace(kernel())
  const mine = await open().createSession({ name: 'test' })
  await mine.run(...set(1))
  await mine.run(...set(2))
  const file = path.join(root, 'sessions', mine.id, 'log', `${'1'.padStart(20, '0')}.jsonl`)
  const repair = async () => {
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":1', '"value":8'))
    return repairSession(kernel(), mine.id)
  }
  return {
    root,
    mine,
    file,
    repair,
    other: () => open().session(mine.id),
    verify: () => verifySession(kernel(), mine.id),
  }
}

afterEach(() => vi.useRealTimers())

/** Whether a file still has its name is looked at from time to time: not any more. */
async function looked(session: Session): Promise<void> {
  await session.refresh()
  vi.useFakeTimers({ toFake: ['Date'] })
  await session.refresh()
}

test('L7 a key whose commit was cut away is not answered with another commit in its place', async () => {
  const { mine, repair, other } = await begin()
  const theirs = await other()
  await looked(mine)
  await theirs.run(...set('paid'), { key: 'K' })
  const { seq } = theirs
  await repair()
  const third = await other()
  while (third.seq <= seq) await third.run('state.set', { path: '$.data.other', value: third.seq })
  const asked = () => mine.run(...set('paid'), { key: 'K' })
  const answer = await asked().catch(asked)
  await third.refresh()
  expect(answer).toMatchObject({ kind: 'accepted', seq: third.seq })
  expect(third.get('$.data.n')).toBe('paid')
})

test('who has not read much of it for long goes on in the log that took its place', async () => {
  const { mine, repair, other, verify } = await begin()
  const theirs = await other()
  await looked(mine)
  for (let i = 0; i < 5; i++) await theirs.run(...set('x'.repeat(20_000)))
  await repair()
  const third = await other()
  await third.run(...set('third'))
  const write = () => mine.run(...set('mine'))
  await write().catch(write)
  await third.refresh()
  expect(third.get('$.data.n')).toBe('mine')
  expect(await verify()).toMatchObject({ ok: true, seq: third.seq })
})

describe('who stands right behind a seal', () => {
  async function sealed() {
    const place = await begin({ segmentBytes: 1500 })
    for (let i = 3; place.mine.position.offset !== 0; i++) await place.mine.run(...set(i))
    return place
  }
  const follows = async ({ mine, other, verify }: Awaited<ReturnType<typeof begin>>) => {
    const theirs = await other()
    await theirs.run(...set('theirs'))
    const write = () => mine.run('state.set', { path: '$.data.m', value: 'mine' })
    await write().catch(write)
    await theirs.refresh()
    expect([theirs.get('$.data.n'), theirs.get('$.data.m')]).toEqual(['theirs', 'mine'])
    expect(await verify()).toMatchObject({ ok: true, seq: theirs.seq })
  }

  test('goes on where a repair has cut the log before it', async () => {
    const place = await sealed()
    await place.repair()
    await follows(place)
  })

  test('goes on behind what others wrote in its place when it was altered', async () => {
    const place = await sealed()
    const { file } = place
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"op":"log.seal"', '"op":"log.seam"'))
    await follows(place)
  })

  test('goes on when races that were lost stand behind it, however long they are', async () => {
    const { mine, file, other, verify } = await sealed()
    fs.appendFileSync(file, line(2, 'f'.repeat(64), 'x'.repeat(300_000)).line)
    expect(await (await other()).run(...set('theirs'))).toMatchObject({ kind: 'accepted' })
    expect(await mine.run(...set('mine'))).toMatchObject({ kind: 'accepted' })
    expect(await verify()).toMatchObject({ ok: true, seq: mine.seq })
  })

  test('writes nothing while the file before it is short', async () => {
    const { mine, file } = await sealed()
    await mine.refresh()
    const whole = fs.readFileSync(file)
    fs.truncateSync(file, whole.length - 10)
    await expect(mine.run(...set('mine'))).rejects.toMatchObject({ code: 'LOG_CORRUPT', details: { passing: true } })
    fs.writeFileSync(file, whole)
    expect(await mine.run(...set('mine'))).toMatchObject({ kind: 'accepted' })
  })
})

test('a checkpoint that was being made meanwhile does not stand behind its end', async () => {
  const { mine, root, repair, other, verify } = await begin()
  const kernel = filesKernel(root, { checkpointBytes: 1 })
  await makeCheckpoint(kernel, mine.id)
  await mine.run(...set('later'))
  const { checkpoints } = kernel.log
  const put = async (id: string, bytes: readonly Uint8Array[]) => {
    await repair()
    await checkpoints?.put(id, bytes)
  }
  const log = overriding(kernel.log, { checkpoints: { ...checkpoints, put } as CheckpointStore })
  await makeCheckpoint({ ...kernel, log }, mine.id)
  expect(await verify()).toMatchObject({ ok: true })
  expect(await (await other()).run(...set(3))).toMatchObject({ kind: 'accepted' })
})

test('what was known of places in it is read anew where its last commit was altered', async () => {
  const { mine, file, other } = await begin()
  for (let i = 0; i < 40; i++) await mine.run(...set(`${i}`.padEnd(10_000, 'x')))
  const behind = async (after: number) => {
    const seqs: number[] = []
    for await (const { seq } of mine.commits({ after })) seqs.push(seq)
    return seqs
  }
  await mine.resolve('2099-01-01T00:00:00Z')
  await mine.resolve('2099-01-01T00:00:00Z')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":"39x', '"value":"39y'))
  const theirs = await other()
  for (let i = 0; i < 4; i++) await theirs.run(...set(i))
  await mine.refresh()
  expect(await behind(theirs.seq - 2)).toEqual([theirs.seq - 1, theirs.seq])
})

test('L1 what is written to its file while it is cut is in what is kept of it', async () => {
  const { file, repair } = await begin()
  const writer = fs.openSync(file, 'a')
  const { aside } = await repair()
  fs.writeSync(writer, 'late\n')
  fs.closeSync(writer)
  expect(fs.readFileSync(aside[0] ?? '', 'utf8')).toMatch(/late\n$/)
  expect(fs.readFileSync(file, 'utf8')).not.toContain('late')
})
