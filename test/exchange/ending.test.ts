/* I4: how a session stood where it comes from. */
import { describe, expect, test } from 'vitest'
import { carryOut } from '../../src/kernel/exchange/carry-out.ts'
import type { Source } from '../../src/kernel/exchange/importer.ts'
import { craftDocument, json, lines, sessionDocument } from './files.ts'
import { imported, optionsOf, planOf, workspace } from './taken.ts'

const craft = (status: string) => json('craft.json', { ...craftDocument, status })
const document = (lifecycle: object) =>
  json('session-1f.json', { ...(sessionDocument.value as object), session: { id: '1f', lifecycle } })

describe.each<readonly [string, Source, string, string | null]>([
  ['craft in_progress', craft('in_progress'), 'active', null],
  ['craft paused', craft('paused'), 'suspended', null],
  ['craft completed', craft('completed'), 'terminated', 'completed'],
  ['craft error', craft('error'), 'terminated', 'failed'],
  ['craft aborted', craft('aborted'), 'terminated', 'cancelled'],
  ['document initializing', document({ status: 'initializing' }), 'active', null],
  ['document active', document({ status: 'active' }), 'active', null],
  ['document recovering', document({ status: 'recovering' }), 'active', null],
  ['document suspended', document({ status: 'suspended' }), 'suspended', null],
  ['document terminating', document({ status: 'terminating' }), 'terminating', null],
  ['document terminated', document({ status: 'terminated' }), 'terminated', 'completed'],
  ['document failed', document({ status: 'terminated', outcome: 'failed' }), 'terminated', 'failed'],
  ['document of no such word', document({ status: 'toString', outcome: 7 }), 'active', null],
])('%s', (_name, source, status, outcome) => {
  test('I4 the session stands as it stood there, with all that came in', async () => {
    const plan = planOf(source)
    const { session, refused } = await imported(plan)
    expect(refused).toEqual([])
    expect(await session.get('$.session.lifecycle')).toMatchObject({ status, outcome })
    expect(Object.keys(session.get('$.execution.tasks') as object).length).toBeGreaterThan(1)
    expect(JSON.stringify(session.get('$.data.imports'))).toContain('"status":"done"')
    expect(plan.rows.some(({ what }) => what.startsWith('status: '))).toBe(status !== 'active')
  })

  test('I1 the same file again changes nothing', async () => {
    const [plan, into] = [planOf(source), workspace()]
    const { session } = await imported(plan, into)
    const { seq } = session
    const again = await imported(plan, into)
    expect([again.repeated, again.session.seq, again.refused]).toEqual([true, seq, []])
  })
})

test('I4 an end that events tell behind the checkpoint counts', async () => {
  const told = { path: 'session.lifecycle.status', new_value: 'terminated' }
  const log = lines('session-1f.jsonl', { type: 'state_updated', timestamp: '2026-01-03T00:00:00Z', data: told })
  const { session } = await imported(planOf(document({ status: 'active' }), log))
  expect(await session.get('$.session.lifecycle.status')).toBe('terminated')
})

test('I4 a session that was there before goes on, also where the file comes again without its name', async () => {
  const [plan, into] = [planOf(craft('completed')), workspace()]
  const session = await into.createSession({ name: plan.group })
  await carryOut(into, plan, { ...optionsOf(plan), session })
  await imported(plan, into)
  await session.refresh()
  expect(await session.get('$.session.lifecycle.status')).toBe('active')
})

test('I2 I4 an import that was broken off before its end, ends when it is gone on with', async () => {
  const [plan, into] = [planOf(craft('error')), workspace()]
  const broken = { ...plan, ending: { op: 'no.such', input: {} } }
  await expect(imported(broken, into)).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  const { session } = await imported(plan, into)
  expect(await session.get('$.session.lifecycle')).toMatchObject({ status: 'terminated', outcome: 'failed' })
})

test('I4 what somebody said of the session since then stays', async () => {
  const [plan, into] = [planOf(craft('paused')), workspace()]
  const { session } = await imported(plan, into)
  await session.run('session.resume', {})
  expect((await imported(plan, into)).repeated).toBe(true)
  expect(await session.get('$.session.lifecycle.status')).toBe('active')
  const ended = workspace()
  const broken = { ...plan, ending: { op: 'no.such', input: {} } }
  await expect(imported(broken, ended)).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' })
  await (await ended.session(plan.group)).run('session.end', { outcome: 'cancelled' })
  const { session: other, refused } = await imported(plan, ended)
  expect([refused, await other.get('$.session.lifecycle.outcome')]).toEqual([[], 'cancelled'])
})

test('I1 I3 what a rule refused is told the same way again of a session that has ended', async () => {
  const wrong = { op: 'task.claim', input: { id: 'task-nowhere' } }
  const into = workspace()
  const given = planOf(craft('completed'))
  const plan = { ...given, requests: [...given.requests, wrong] }
  const first = await carryOut(into, plan, { ...optionsOf(given), actor: 'agent:ann' })
  expect(first.refused).toMatchObject([{ op: 'task.claim' }])
  expect(first.refused[0]?.code).not.toBe('SESSION_NOT_WRITABLE')
  const again = await carryOut(into, plan, { ...optionsOf(given), actor: 'agent:ann' })
  expect([again.repeated, again.refused]).toEqual([true, first.refused])
})
