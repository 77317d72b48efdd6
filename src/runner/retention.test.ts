import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/conformance/kit.ts'
import { retention } from '../care.ts'
import { openWorkspace } from '../compose.ts'
import type { RetentionPlan } from '../kernel/care/retention.ts'

const DAY_S = 86_400
const NOW = { archive: 0, tidy: 0 }

async function begin() {
  const dir = temporaryFolder()
  const workspace = await openWorkspace({ dir, settings: { checkpoints: false } })
  const make = async (name: string) => {
    const session = await workspace.createSession({ name })
    await session.run('state.set', { path: '$.data.a', value: 1 })
    return session
  }
  const plan = () => retention.plan(workspace, NOW)
  return { root: path.join(dir, '.steadfold'), workspace, make, plan }
}

const said = ({ steps }: RetentionPlan) =>
  steps.map((step) => `${step.kind} ${step.name ?? ''} ${step.kind === 'keep' ? step.why : ''}`.trim())

const age = (file: string, seconds: number) =>
  fs.utimesSync(file, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds)

test('G4 ended sessions go to the archive, and planning changes nothing', async () => {
  const { workspace, make, plan } = await begin()
  const old = await make('old')
  await old.run('session.end', {})
  await make('live')
  expect(said(await plan())).toEqual(['archive old'])
  expect(said(await plan())).toEqual(['archive old'])
  expect(await retention.carryOut(workspace, await plan())).toMatchObject([{ step: { kind: 'archive' } }])
  await expect(workspace.session('old')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect((await (await workspace.archived()).session('old')).get('$.data.a')).toBe(1)
  expect(said(await plan())).toEqual([])
})

test('G4 what another has put away since it was planned is done', async () => {
  const { workspace, make, plan } = await begin()
  for (const name of ['one', 'two']) await (await make(name)).run('session.end', {})
  const planned = await plan()
  await workspace.archive(await workspace.session('one'))
  const done = await retention.carryOut(workspace, planned)
  expect(done).toEqual(planned.steps.map((step) => ({ step })))
})

test('G1 a session that is live, held, or is to be kept, stays', async () => {
  const { make, plan } = await begin()
  const held = await make('held')
  await held.run('session.acquire', { ttl_ms: 60_000 })
  await held.run('session.end', {})
  const kept = await make('kept')
  await kept.run('session.configure', { auto_cleanup: false })
  await kept.run('session.end', {})
  expect(said(await plan())).toEqual([expect.stringMatching(/^keep held it is held by/)])
})

test('G1 a session that takes no writes is not tidied: its time is over, or it departed', async () => {
  const { workspace, make, plan } = await begin()
  for (const name of ['live', 'over', 'gone']) {
    const session = await make(name)
    await session.run('task.add', { title: 'one' })
    await session.run('task.claim', { any: true }, { actor: 'agent:a' })
    await session.run('task.done', { task: 'task-1' }, { actor: 'agent:a' })
    if (name === 'over') await session.run('session.extend', { hours: 1 })
    if (name === 'gone') await session.run('session.depart', { from: { place: 'p', device: 'laptop' } })
  }
  vi.spyOn(workspace.kernel.host, 'now').mockReturnValue(Date.now() + 2 * 3_600_000)
  const planned = await plan()
  expect(said(planned)).toEqual(['tidy live'])
  expect(await retention.carryOut(workspace, planned)).toEqual(planned.steps.map((step) => ({ step })))
})

test('G2 a session that does not verify stays, and the plan says how to look at it', async () => {
  const { root, make, plan } = await begin()
  const old = await make('old')
  await old.run('session.end', {})
  await old.close()
  const log = path.join(root, 'sessions', old.id, 'log')
  const file = path.join(log, fs.readdirSync(log)[0] ?? '')
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":1', '"value":2'))
  const { steps } = await plan()
  expect(steps).toMatchObject([
    { kind: 'keep', name: 'old', why: 'its log is damaged', next: `steadfold verify --session ${old.id}` },
  ])
})

test('G3 a session for which facts wait in the spool stays, also where nobody knows for whom they are', async () => {
  const { root, make, plan } = await begin()
  const old = await make('old')
  await old.run('session.end', {})
  const spool = path.join(root, 'spool')
  fs.mkdirSync(spool)
  const fact = path.join(spool, '1.fact')
  fs.writeFileSync(fact, 'steadfold-fact 1\nsession: old\nactor: tool:shell\nop: output.set\nname: a\n\nb\n#end\n')
  expect(said(await plan())).toEqual(['keep old facts for it wait in the spool'])
  fs.writeFileSync(fact, 'steadfold-fact 1\nsession:')
  expect(said(await plan())).toEqual([expect.stringMatching(/^keep old a fact in the spool is not finished/)])
  fs.rmSync(fact)
  expect(said(await plan())).toEqual(['archive old'])
})

test('G3 blobs that no commit names go once they are a day old; the others stay', async () => {
  const { root, workspace, make, plan } = await begin()
  const live = await make('live')
  const put = async (text: string) => (await workspace.kernel.log.blobs?.put(live.id, Buffer.from(text))) ?? ''
  const [named, loose, fresh] = [await put('named'), await put('loose'), await put('fresh')]
  await live.run('state.set', { path: '$.data.report', value: { sha256: named } })
  const fileOf = (hash: string) => path.join(root, 'sessions', live.id, 'blobs', 'sha256', hash.slice(0, 2), hash)
  for (const hash of [named, loose]) age(fileOf(hash), 2 * DAY_S)
  const { steps } = await plan()
  expect(steps).toMatchObject([{ kind: 'remove', what: 'blob', items: [{ bytes: 5 }] }])
  await put('loose')
  await retention.carryOut(workspace, { policy: (await plan()).policy, steps })
  expect([named, loose, fresh].map((hash) => fs.existsSync(fileOf(hash)))).toEqual([true, true, true])
  age(fileOf(loose), 2 * DAY_S)
  await retention.carryOut(workspace, await plan())
  expect([named, loose, fresh].map((hash) => fs.existsSync(fileOf(hash)))).toEqual([true, false, true])
})

test('G1 what is done in a live session leaves its state by an ordinary commit, and stays in its log', async () => {
  const { workspace, make, plan } = await begin()
  const live = await make('live')
  await live.run('task.add', { title: 'one' })
  await live.run('task.claim', { task: 'task-1' })
  await live.run('task.done', { task: 'task-1' })
  const next = await plan()
  expect(next.steps).toMatchObject([{ kind: 'tidy', what: ['1 finished task'] }])
  await retention.carryOut(workspace, next, 'human:ana')
  await live.refresh()
  expect(live.get('$.execution.tasks')).toEqual({})
  const [last] = await live.query('$.execution.tasks.*', { at: '@-1' })
  expect(last).toMatchObject({ status: 'completed' })
})
