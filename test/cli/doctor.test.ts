/* What doctor finds in a workspace. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesKernel, makeWorkspace } from '../../src/compose.ts'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
})
afterAll(() => place.remove())

interface Report {
  readonly checks: readonly { readonly name: string; readonly status: string; readonly found: string }[]
}

const shells = () => place.data<Report>('doctor').checks.find(({ name }) => name === 'shells')
const hand = (name: string, text: string) => {
  const folder = path.join(place.dir, '.steadfold', 'spool')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(folder, name), text)
}

test('facts of shells that are in no session are named with the reason', () => {
  expect(place.run('session', 'create', 'one').status).toBe(0)
  expect(shells()).toMatchObject({ status: 'ok' })
  hand('1.fact', 'steadfold-fact 1\nsession: nowhere\nactor: tool:shell\nop: output.set\nname: topic\n\nauth\n#end\n')
  hand('2.fact', 'steadfold-fact 1\nsession:')
  const found = shells()
  expect(found).toMatchObject({ status: 'warn' })
  expect(found?.found).toMatch(/1 fact put aside: 1\.fact: .*nowhere.*; 1 fact unfinished: 2\.fact/)
})

test('facts that wait are named with whose they are', () => {
  const waiting = new Place()
  const found = () => waiting.data<Report>('doctor').checks.find(({ name }) => name === 'shells')
  for (const name of ['one', 'two']) expect(waiting.run('session', 'create', name).status).toBe(0)
  const folder = path.join(waiting.dir, '.steadfold', 'spool')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fact = (session: string) =>
    `steadfold-fact 1\nsession: ${session}\nactor: tool:shell\nop: output.set\nname: topic\n\nauth\n#end\n`
  writeFileSync(path.join(folder, '1.fact'), fact(''))
  expect(waiting.run('session', 'suspend', 'two').status).toBe(0)
  expect(waiting.run('session', 'create', 'three').status).toBe(0)
  writeFileSync(path.join(folder, '2.fact'), fact(''))
  writeFileSync(path.join(folder, '3.fact'), fact('two'))
  expect(found()).toMatchObject({ status: 'warn', found: '2 facts waiting, for no session, two' })
  expect(waiting.run('session', 'resume', 'two').status).toBe(0)
  expect(waiting.run('session', 'end', 'three').status).toBe(0)
  expect(waiting.run('session', 'end', 'one').status).toBe(0)
  expect(found()).toMatchObject({ status: 'ok' })
  waiting.remove()
})

test('where there is no workspace, doctor looks at the machine and says so as every command does', () => {
  const none = new Place()
  rmSync(path.join(none.dir, '.steadfold'), { recursive: true, force: true })
  const { status, out } = none.run('doctor')
  expect(status).toBe(none.run('status').status)
  expect(out).toMatch(/^bad +workspace +there is no workspace/m)
  none.remove()
})

test('a session whose log is ahead of the clock is named: nothing runs out in it', async () => {
  const late = new Place()
  const kernel = filesKernel(path.join(late.dir, '.steadfold'), {})
  const now = () => Date.now() + 50 * 3_600_000
  await makeWorkspace({ ...kernel, host: { ...kernel.host, now } }).createSession({ name: 'late' })
  expect(late.run('session', 'create', 'sound').status).toBe(0)
  const found = late.data<Report>('doctor').checks.filter(({ name }) => name === 'clock')
  expect(found).toMatchObject([
    { status: 'warn', found: expect.stringMatching(/^late is 2d ahead of this clock/) as string },
  ])
  late.remove()
})

test('a workspace that cannot be opened is one bad check beside those of the machine', () => {
  const broken = new Place()
  // Behind so many words that the reason stands far to the right.
  writeFileSync(path.join(broken.dir, '.steadfold', 'config.json'), JSON.stringify({ [`un${'known'.repeat(20)}`]: 1 }))
  const { status, out, err } = broken.run('doctor', '--json')
  expect({ status, err }).toEqual({ status: 8, err: '' })
  const { ok, checks } = (JSON.parse(out) as { readonly data: Report & { readonly ok: boolean } }).data
  expect(ok).toBe(false)
  expect(checks.filter((check) => check.status === 'bad')).toMatchObject([
    { name: 'workspace', found: expect.stringContaining('config.json') as unknown },
  ])
  expect(checks.map(({ name }) => name)).toContain('node')
  expect(broken.run('doctor').out).toContain(checks.find((check) => check.status === 'bad')?.found)
  broken.remove()
})
