/* T5: a session that moves is looked at under the folder that its project has here. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRunner } from '../../src/compose.ts'
import { OPEN, PACK, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const actor = 'human:test'
let a: Side
let b: Side

beforeAll(async () => {
  ;[a, b] = await pair(root)
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const definition = (folder: string) => ({
  name: 'moves',
  states: {
    make: { steps: { one: { run: 'pwd > one.txt', artifacts: ['one.txt'] } } },
    go: { approval: true, steps: { two: { run: `pwd > two.txt; test "${folder}" != ""`, artifacts: ['two.txt'] } } },
    complete: {},
  },
})

test('T5 what is recorded with a whole path is compared, shown and run under the folder here', async () => {
  const session = await a.workspace.createSession({ name: 'moves' })
  await (await openRunner(a.workspace)).runWorkflow({ session, definition: definition(a.dir) })
  const sha256 = execFileSync('sha256sum', [path.join(a.dir, 'one.txt')], { encoding: 'utf8' }).slice(0, 64)
  const told = [{ path: path.join(a.dir, 'one.txt'), hash_after: sha256 }]
  await session.run('state.set', { path: '$.data.craft', value: { files_modified: told } })
  const began = {
    session_id: 'cli-1',
    hook_event_name: 'SessionStart',
    cwd: path.join(a.dir, 'sub'),
    source: 'startup',
  }
  await session.run('activity.record', { agent: 'claude', payload: JSON.stringify(began) })
  const file = path.join(root, 'moves')
  await a.vault.send(a.workspace, session, a.dir, { ...PACK, file, to: undefined, actor })

  const project = path.join(root, 'elsewhere')
  fs.mkdirSync(project)
  fs.copyFileSync(path.join(a.dir, 'one.txt'), path.join(project, 'one.txt'))
  const arrival = await b.vault.receive(b.workspace, file, b.dir, { ...OPEN, root: project, actor })
  expect(arrival.differences).toEqual([{ path: a.dir, what: 'named by the workflow' }])
  const here = arrival.session
  expect(here.get('$.session.transport.roots')).toEqual([a.dir])
  expect(await here.run('activity.list', {})).toMatchObject({ value: [{ cwd: path.join(project, 'sub') }] })

  await here.run('step.release', { step: 'go:approval' })
  const ran = await (
    await openRunner(b.workspace)
  ).runWorkflow({
    session: here,
    definition: here.get('$.workflow.definition'),
  })
  expect([ran.status, ran.steps.ran]).toEqual(['completed', ['two']])
  expect(fs.readFileSync(path.join(project, 'two.txt'), 'utf8').trim()).toBe(fs.realpathSync(project))
  fs.writeFileSync(path.join(project, 'one.txt'), 'changed')

  const back = path.join(root, 'back')
  await b.vault.send(b.workspace, here, b.dir, { ...PACK, recipients: ['a'], file: back, to: undefined, actor })
  const home = await a.vault.receive(a.workspace, back, a.dir, { ...OPEN, root: undefined, actor })
  expect(home.differences).toEqual([{ path: 'two.txt', what: 'missing' }])
  expect(home.session.get('$.session.transport.roots')).toEqual([project])
})
