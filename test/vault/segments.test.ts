import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openWorkspace, type OpenSession } from '../../src/compose.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { verifySession } from '../../src/kernel/care/verify.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { soak } from '../crash/rig/plan.ts'
import { OPEN, PACK, pair, scratch, type Side } from './rig.ts'

const root = scratch()
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const moving = { key: undefined, actor: 'human:test', to: undefined, root: undefined }

async function filled(side: Side, name: string, commits: number): Promise<OpenSession> {
  const session = await side.workspace.createSession({ name })
  for (let n = 0; n < commits; n += 1)
    await session.run('state.set', { path: `$.data.n${n}`, value: { text: 'é😀'.repeat(n * 7), like: ',"hash":"' } })
  return session
}

/** A workspace whose segments end after a few commits. */
async function small(root: string): Promise<readonly [Side, Side]> {
  const [a, b] = await pair(root)
  await a.workspace.close()
  return [{ ...a, workspace: await openWorkspace({ dir: a.dir, settings: { segmentBytes: 1500 } }) }, b]
}

const accepted = (dir: string, id: string): string => {
  const log = path.join(dir, '.steadfold/sessions', id, 'log')
  const files = fs
    .readdirSync(log)
    .sort()
    .map((name) => fs.readFileSync(path.join(log, name), 'utf8'))
  return files
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('{"v":1') && line.endsWith('"}'))
    .join('\n')
}

test('B3 segments, torn fragments and seals: what arrives is the accepted commits, byte for byte', async () => {
  const [a, b] = await small(path.join(root, 'segments'))
  const session = await filled(a, 'auth', 30)
  const log = path.join(a.dir, '.steadfold/sessions', session.id, 'log')
  expect(fs.readdirSync(log).length).toBeGreaterThan(3)
  await session.run('state.set', { path: '$.data.first', value: 'of a segment' })
  await session.close()
  const last = fs.readdirSync(log).sort().at(-1) ?? ''
  fs.appendFileSync(path.join(log, last), '{"v":1,"seq":99,"torn')
  const again = await a.workspace.session('auth')
  await again.run('state.set', { path: '$.data.behind', value: 'the fragment' })
  const file = path.join(root, 'segments.steadfold')
  await a.vault.pack(a.workspace, again, a.dir, { ...PACK, file })
  await b.vault.unpack(b.workspace, file, OPEN)
  expect(accepted(b.dir, session.id)).toBe(
    accepted(a.dir, session.id)
      .split('\n')
      .filter((line) => !line.includes('"seq":99'))
      .join('\n'),
  )
  const verified = await verifySession(b.workspace.kernel, session.id, true)
  expect([verified.ok, verified.torn, verified.seq]).toEqual([true, 0, again.seq])
})

test('Y2 increments begin and end anywhere: within segments, at seals, over several', async () => {
  const [a, b] = await small(path.join(root, 'increments'))
  const url = path.join(root, 'increments-place')
  fs.mkdirSync(url)
  const here = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  const there = new Places(b.vault, b.workspace, { dir: b.dir, env: {} })
  here.add('origin', url, ['b'])
  there.add('origin', url, ['a'])
  const session = await filled(a, 'auth', 3)
  for (const commits of [1, 1, 2, 9, 1, 14, 3]) {
    for (let n = 0; n < commits; n += 1) await session.run('state.set', { path: '$.data.x', value: 'x'.repeat(n * 40) })
    await here.push(undefined, session, undefined)
    if (commits !== 2) await there.pull(undefined, session.id)
  }
  expect(accepted(b.dir, session.id)).toBe(accepted(a.dir, session.id))
  // What is known may be lost: it is found out again.
  fs.rmSync(path.join(b.dir, '.steadfold/sessions', session.id, 'remotes'), { recursive: true })
  expect(await there.pull(undefined, session.id)).toMatchObject({ moved: 0, standing: 'up to date' })
  const copy = await b.workspace.session('auth')
  await copy.run('state.set', { path: '$.data.from', value: 'b' })
  await there.push(undefined, copy, undefined)
  expect(await here.pull(undefined, 'auth')).toMatchObject({ moved: 1 })
  expect((await verifySession(a.workspace.kernel, session.id, true)).ok).toBe(true)
})

type Deed = 'send' | 'receive' | 'cancel' | 'write' | 'push' | 'pull'

async function deed(what: Deed, side: Side, places: Places, id: string): Promise<void> {
  const session = await side.workspace.session(id).catch(() => undefined)
  try {
    if (what === 'receive') await (await places.receive(undefined, id, moving)).session.close()
    else if (what === 'pull') await places.pull(undefined, id)
    else if (session === undefined) return
    else if (what === 'send') await places.send(undefined, session, moving)
    else if (what === 'cancel') await places.cancel(session, 'human:test')
    else if (what === 'push') await places.push(undefined, session, undefined)
    else await session.run('state.set', { path: '$.data.by', value: side.dir })
  } catch (error) {
    const fine = ['EPOCH_STALE', 'SESSION_DEPARTED', 'CONFLICT', 'DIVERGED', 'SESSION_NOT_FOUND']
    if (!(error instanceof EngineError) || !fine.includes(error.code)) throw error
  } finally {
    await session?.close()
  }
}

async function owners(sides: readonly Side[], id: string): Promise<number> {
  let writers = 0
  for (const { workspace } of sides) {
    const session = await workspace.session(id).catch(() => undefined)
    const answer = await session?.run('state.set', { path: '$.data.x', value: 1 }, { dryRun: true })
    if (answer?.kind === 'accepted') writers += 1
    await session?.close()
  }
  return writers
}

test(
  'T2 whatever two machines do in whatever order over a place, once it has moved one of them at most may write',
  async () => {
    let round = 0
    const step = fc.tuple(
      fc.constantFrom(0, 1),
      fc.constantFrom<Deed>('send', 'receive', 'cancel', 'write', 'push', 'pull'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const home = path.join(root, `round-${(round += 1)}`)
        const sides = await pair(home)
        fs.mkdirSync(path.join(home, 'place'))
        const places = sides.map(({ vault, workspace, dir }) => new Places(vault, workspace, { dir, env: {} }))
        places.forEach((each, n) => each.add('origin', path.join(home, 'place'), [n === 0 ? 'b' : 'a']))
        const { id } = await sides[0].workspace.createSession({ name: 'auth' })
        // Sent once: from here on it has an owner, or is on its way.
        await deed('send', sides[0], places[0] as Places, id)
        for (const [n, what] of steps) {
          await deed(what, sides[n], places[n] as Places, id)
          expect(await owners(sides, id)).toBeLessThanOrEqual(1)
        }
        // And nobody is stuck: whoever may, takes it over or back.
        for (const what of ['push', 'receive', 'cancel'] as const)
          for (const n of [0, 1] as const)
            if ((await owners(sides, id)) === 0) await deed(what, sides[n], places[n] as Places, id)
        expect(await owners(sides, id)).toBe(1)
        await Promise.all(sides.map(({ workspace }) => workspace.close()))
      }),
      {
        numRuns: soak ? 150 : 6,
        // Taken back before it ever arrived: who took it back owns it.
        examples: [
          [
            [
              [0, 'cancel'],
              [0, 'push'],
              [1, 'pull'],
              [0, 'send'],
            ],
          ],
          // What another has sent on is not taken back here.
          [
            [
              [1, 'receive'],
              [1, 'send'],
              [0, 'pull'],
              [0, 'cancel'],
              [0, 'send'],
              [0, 'send'],
            ],
          ],
        ],
      },
    )
  },
  soak ? 1_800_000 : 120_000,
)
