import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../../../test/until.ts'
import { evidence } from './evidence.ts'
import { isAlive, read, self, withEnvironment } from './identity.ts'

test('E2 this process is alive', () => {
  expect(evidence(self())).toMatchObject({ kind: 'alive' })
})

test.each([
  ['a later process with its pid', { started: '1' }, 'dead'],
  ['an earlier start of the machine', { boot_id: 'before' }, 'dead'],
  ['no such pid', { pid: 2 ** 22 + 1 }, 'dead'],
  ['another machine', { host: 'elsewhere', boot_id: 'theirs' }, 'unknown'],
  ['an earlier start of a machine that says nothing of itself', { machine: undefined, boot_id: 'before' }, 'dead'],
  ['another container', { pid_namespace: 'pid:[1]' }, 'unknown'],
])('%s is %s', (_, change, kind) => {
  expect(evidence({ ...self(), ...change })).toMatchObject({ kind })
})

/** Not in many containers. */
const isNamed = /^[0-9a-f]{32}\n$/.test(read('/etc/machine-id') ?? '')

test.runIf(isNamed)(
  'E3 another machine of the same name was not started again, and lives as far as can be told',
  () => {
    expect(evidence({ ...self(), machine: 'theirs', boot_id: 'theirs' })).toEqual({
      kind: 'unknown',
      reasons: [expect.stringMatching(/^pid \d+ was on \S+, this is another of that name$/) as unknown],
    })
  },
)

test('a program that is just being started shows no environment yet: it is told by its session', async () => {
  const child = spawn('/bin/sleep', ['60'], { env: {}, detached: true, stdio: 'ignore' })
  const pid = child.pid ?? 0
  await until(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n')
  expect([withEnvironment([pid], 'A=1', pid), withEnvironment([pid], 'A=1', 1), withEnvironment([pid], 'A=1')]).toEqual(
    [[pid], [], []],
  )
  child.kill('SIGKILL')
})

test('E1 a zombie is dead', async () => {
  // The child ends once its parent is a program that does not wait for it.
  const child = 'until grep -q sleep "/proc/$parent/comm"; do sleep 0.01; done'
  const script = `parent=$$; (${child}) & echo $!; exec sleep 30`
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = Number(
    await new Promise<string>((resolve) => parent.stdout.once('data', (data: Buffer) => resolve(data.toString()))),
  )
  const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
  await until(() => state() === 'Z')
  expect(state()).toBe('Z')
  expect(isAlive(pid, '-')).toBe(false)
  parent.kill('SIGKILL')
})
