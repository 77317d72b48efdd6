/* A repair that is killed: what it cut is told by the next one. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/conformance/kit.ts'
import { filesKernel, makeWorkspace } from '../../compose.ts'
import { repairSession } from '../../kernel/care/repair.ts'
import { verifySession } from '../../kernel/care/verify.ts'

const SMALL = { segmentBytes: 2000, checkpoints: false }

/** A log of several segments that has lost its second one. */
async function wounded() {
  const root = temporaryFolder()
  const kernel = () => filesKernel(root, SMALL)
  const session = await makeWorkspace(kernel()).createSession({ name: 'build' })
  for (let n = 0; n < 40; n++) await session.run('state.set', { path: '$.data.n', value: n })
  const { id } = session
  await session.close()
  const log = path.join(root, 'sessions', id, 'log')
  fs.rmSync(path.join(log, fs.readdirSync(log).sort()[1] ?? ''))
  const { error } = await verifySession(kernel(), id)
  if (error === undefined) throw new Error('it is damaged')
  return { id, kernel, error, damaged: path.join(root, 'sessions', id, 'damaged') }
}

async function repairsTold(id: string, kernel: ReturnType<typeof filesKernel>) {
  const session = await makeWorkspace(kernel).session(id)
  const told: unknown[] = []
  for await (const { op, events } of session.commits()) if (op === 'session.repair') told.push(events[0]?.data)
  await session.close()
  return told
}

test('L1 killed between the cut and its commit, the next repair tells of it, once', async () => {
  const { id, kernel, error, damaged } = await wounded()
  const aside = (await kernel().log.repair?.(id, error, error)) ?? []
  expect(await verifySession(kernel(), id)).toMatchObject({ ok: true, untold: [{ seq: error.seq }] })
  const told = { seq: error.seq - 1, reason: error.reason, aside: [...aside].sort() }
  expect(await repairSession(kernel(), id)).toMatchObject({ seq: error.seq, aside: told.aside })
  expect(await repairsTold(id, kernel())).toEqual([told])
  expect(await repairSession(kernel(), id)).toMatchObject({ seq: undefined, aside: [] })
  expect(fs.readdirSync(path.join(damaged, fs.readdirSync(damaged)[0] ?? ''))).not.toContain('cut.json')
})

test('L1 killed behind its commit, the next repair adds nothing', async () => {
  const { id, kernel, error, damaged } = await wounded()
  await kernel().log.repair?.(id, error, error)
  const note = path.join(damaged, fs.readdirSync(damaged)[0] ?? '', 'cut.json')
  const kept = fs.readFileSync(note)
  await repairSession(kernel(), id)
  fs.writeFileSync(note, kept)
  await repairSession(kernel(), id)
  expect(await repairsTold(id, kernel())).toHaveLength(1)
})

test('L1 killed before it kept anything, it has cut nothing, and nothing is told of it', async () => {
  const { id, kernel, error, damaged } = await wounded()
  fs.mkdirSync(path.join(damaged, '2026-01-01T00-00-00.000Z'), { recursive: true })
  fs.writeFileSync(path.join(damaged, '2026-01-01T00-00-00.000Z', 'cut.json'), JSON.stringify(error))
  await repairSession(kernel(), id)
  expect(await repairsTold(id, kernel())).toHaveLength(1)
})

test('what goes for what is elsewhere is told by no commit', async () => {
  const { id, kernel, error } = await wounded()
  await kernel().log.repair?.(id, error)
  expect(await repairSession(kernel(), id)).toMatchObject({ seq: undefined })
  expect(await repairsTold(id, kernel())).toEqual([])
})

test('a note that is damaged itself keeps no log from being repaired', async () => {
  const { id, kernel, error, damaged } = await wounded()
  fs.mkdirSync(path.join(damaged, '2026-01-01T00-00-00.000Z'), { recursive: true })
  for (const name of ['cut.json', 'kept.jsonl'])
    fs.writeFileSync(path.join(damaged, '2026-01-01T00-00-00.000Z', name), '{"seq":')
  expect(await repairSession(kernel(), id)).toMatchObject({ seq: error.seq })
})
