import { beforeEach, expect, test } from 'vitest'
import { overriding } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Attic, Stray } from '../ports.ts'
import type { Session } from '../session.ts'
import type { Workspace } from '../workspace.ts'
import { strayNeeds } from './strays.ts'

const stray = { agent: 'claude', run: 'a-1', told: 2, since: '2026-01-02T03:04:05.000Z', over: false }

let strays: readonly Stray[]
let workspace: Workspace
let one: Session
beforeEach(async () => {
  strays = [stray]
  const kernel = memoryKernel({ checkpoints: false })
  const attic = async () => ({ strays: async () => strays }) as unknown as Attic
  workspace = makeWorkspace({ ...kernel, log: overriding(kernel.log, { attic }) })
  one = await workspace.createSession({ name: 'one' })
})

const what = async () => (await strayNeeds(workspace)).map((need) => need.what)

test('R1 an agent that no session knows needs somebody who says which it is in', async () => {
  expect(await strayNeeds(workspace)).toMatchObject([
    {
      kind: 'ASK',
      session: '',
      what: 'claude a-1',
      since: stray.since,
      next: 'steadfold activity adopt claude a-1 --session NAME',
    },
  ])
})

test('R1 not one that has ended, that a session knows, or while none is active', async () => {
  strays = [{ ...stray, over: true }]
  expect(await what()).toEqual([])
  strays = [stray, { ...stray, run: 'a-2' }]
  const payload = JSON.stringify({ session_id: 'a-1', hook_event_name: 'Stop' })
  await one.run('activity.record', { agent: 'claude', payload })
  // It waits for its session, and needs nobody.
  await one.run('session.suspend', {})
  expect(await what()).toEqual([])
  await workspace.createSession({ name: 'two' })
  expect(await what()).toEqual(['claude a-2'])
})
