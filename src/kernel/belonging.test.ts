import { beforeEach, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import { belonging, knowsRun } from './belonging.ts'
import type { Session } from './session.ts'
import type { Workspace } from './workspace.ts'

let workspace: Workspace
let one: Session
let two: Session
beforeEach(async () => {
  workspace = makeWorkspace(memoryKernel({ checkpoints: false }))
  one = await workspace.createSession({ name: 'one' })
  two = await workspace.createSession({ name: 'two' })
})

const told = (id: string, event = 'Stop') => JSON.stringify({ session_id: id, hook_event_name: event })
const tell = (session: Session, id: string) => session.run('activity.record', { agent: 'claude', payload: told(id) })

test('N1 the only one that is active is meant, and none of several', async () => {
  expect((await belonging(workspace)).only).toBeUndefined()
  await two.run('session.suspend', {})
  expect((await belonging(workspace)).only).toBe(one.id)
  await one.run('session.end', {})
  expect((await belonging(workspace)).only).toBeUndefined()
})

test('N2 an agent stays where it began, under its own id and that of its CLI', async () => {
  await tell(one, 'first')
  await two.run('activity.launch', { agent: 'claude', run: 'watched', cwd: '/src' })
  await two.run('activity.meter', { agent: 'claude', run: 'watched', cli_session: 'second' })
  const { ofRun } = await belonging(workspace)
  expect(ofRun('claude', 'first')).toBe(one.id)
  expect(ofRun('claude', 'second')).toBe(two.id)
  expect(ofRun('claude', 'watched')).toBe(two.id)
  expect(ofRun('claude', 'third')).toBeUndefined()
  expect(ofRun('gemini', 'first')).toBeUndefined()
  expect(ofRun('claude', undefined)).toBeUndefined()
  await one.run('activity.launch', { agent: 'claude', run: 'unnamed', cwd: '/src' })
  expect((await belonging(workspace)).ofRun('claude', 'null')).toBeUndefined()
  expect([one, two].map((session) => knowsRun(session, 'claude', 'second'))).toEqual([false, true])
})

test('N2 it stays there while it is suspended, and beside another that alone is active', async () => {
  await tell(one, 'first')
  await one.run('session.suspend', {})
  const { only, ofRun } = await belonging(workspace)
  expect([only, ofRun('claude', 'first')]).toEqual([two.id, one.id])
  await one.run('session.end', {})
  expect((await belonging(workspace)).ofRun('claude', 'first')).toBeUndefined()
})

test('N2 of several that know it the one that was told last is meant, of a fork and its origin the origin', async () => {
  await tell(one, 'first')
  await new Promise((resolve) => setTimeout(resolve, 5))
  await tell(two, 'first')
  const fork = await workspace.fork(two, 'fork')
  expect((await belonging(workspace)).ofRun('claude', 'first')).toBe(two.id)
  await two.run('session.end', {})
  await one.run('session.end', {})
  expect((await belonging(workspace)).ofRun('claude', 'first')).toBe(fork.id)
})
