/* What goes over at once is bounded: who takes it holds it in memory, and refuses what is larger than any bundle may be. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Places } from '../../src/drivers/vault/places.ts'
import { pair, scratch } from './rig.ts'

const root = scratch()
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

test.each([
  ['bytes', { bytes: 200_000, files: 1000 }, 4],
  ['files', { bytes: 100_000_000, files: 3 }, 3],
  ['one that is too large by itself', { bytes: 1, files: 1 }, 9],
])('Y2 a push of more than one increment may hold becomes several, by %s', async (by, most, sent) => {
  const [a, b] = await pair(path.join(root, by))
  const place = path.join(root, by, 'place')
  fs.mkdirSync(place)
  const here = new Places(a.vault, a.workspace, { dir: a.dir, env: {}, most })
  const there = new Places(b.vault, b.workspace, { dir: b.dir, env: {} })
  here.add('origin', place, ['b'])
  there.add('origin', place, ['a'])
  const session = await a.workspace.createSession({ name: 'long' })
  const heads = () => fs.readdirSync(path.join(place, 'sessions', session.id, 'heads')).length
  const blobs = a.workspace.kernel.log.blobs
  const kept: string[] = []
  const add = async (n: number) => {
    kept.push((await blobs?.put(session.id, Buffer.from(String(n).repeat(80_000)))) ?? '')
    await session.run('state.set', { path: `$.data.n${n}`, value: kept[n] })
  }
  for (let n = 0; n < 8; n++) await add(n)
  expect(await here.push(undefined, session, undefined)).toMatchObject({ moved: 9, standing: 'up to date' })
  expect(heads()).toBe(sent)
  expect(await there.pull(undefined, 'long')).toMatchObject({ moved: 9, seq: 9 })
  await add(8)
  expect(await here.push(undefined, session, undefined)).toMatchObject({ moved: 1 })
  expect(heads()).toBe(sent + 1)
  expect(await there.pull(undefined, 'long')).toMatchObject({ moved: 1 })
  const copy = await b.workspace.session('long')
  for (const hash of kept) expect(await b.workspace.kernel.log.blobs?.get(copy.id, hash)).toHaveLength(80_000)
  for (const opened of [session, copy]) await opened.close()
})
