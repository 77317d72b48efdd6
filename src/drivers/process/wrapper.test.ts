import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { remove } from '../../../test/remove.ts'
import { lineIn, until } from '../../../test/until.ts'
import type { Job } from '../../kernel/work/worker.ts'
import { isAlive } from './identity.ts'
import { ProcessWorkers } from './workers.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'steadfold-wrapper-'))
const root = path.join(cwd, '.steadfold')
mkdirSync(path.join(root, 'sessions', 's'), { recursive: true })
afterAll(() => remove(cwd))

const workers = new ProcessWorkers({ root, cwd })
let attempts = 0
async function ended(command: Job['command'], env: Job['env'] = {}) {
  const worker = await workers.start({ session: 's', dir: `attempt-${++attempts}`, command, env })
  const result = await worker.ended
  if (result.kind !== 'ended') throw new Error(result.reasons.join())
  const [out, err] = [result.stdout, result.stderr].map(({ bytes }) => Buffer.from(bytes).toString())
  return { exit: result.exit, out: out ?? '', err }
}

test('the environment comes to the command as it was given, whatever it is called', async () => {
  const names = 'work stat rest i started field tools until status file line word more name n'.split(' ')
  const odd = existsSync('/bin/bash') ? ['npm_config_//registry/:_authToken', 'a-b', 'BASH_FUNC_printf%%'] : []
  const env = Object.fromEntries([...names, ...odd].map((name) => [name, `() {  echo ${name}; }`]))
  const { out } = await ended(['env', '-0'], env)
  const found = Object.fromEntries(out.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)))
  expect(found).toMatchObject(env)
})

test.each(['QUIT', 'USR1', 'USR2', 'ALRM', 'PIPE'])(
  'A3 a command that tells its group %s, and goes on itself, is waited for',
  async (signal) => {
    const command = `trap '' ${signal}; kill -s ${signal} 0; sleep 0.2; echo late; exit 3`
    expect(await ended(command)).toMatchObject({ exit: 3, out: 'late\n' })
    expect((await ended(`kill -s ${signal} $$; exit 3`)).exit).toBeGreaterThan(128)
  },
)

test.each([
  ['a folder', 126, 'is no file'],
  ['plain', 126, 'is not executable'],
  ['moved', 127, 'its interpreter /no/such/program is not there'],
  ['windows', 127, 'its lines end with CR LF'],
])('%s is no program: that is told with its name, and nothing of the wrapper', async (name, exit, why) => {
  mkdirSync(path.join(cwd, 'a folder'), { recursive: true })
  writeFileSync(path.join(cwd, 'plain'), 'echo plain')
  writeFileSync(path.join(cwd, 'moved'), '#! /no/such/program -x\n', { mode: 0o700 })
  writeFileSync(path.join(cwd, 'windows'), '#!/bin/sh\r\necho\r\n', { mode: 0o700 })
  const { err, ...result } = await ended([`./${name}`])
  expect(result).toEqual({ exit, out: '' })
  expect(err).toMatch(new RegExp(`^./${name}: ${why}.*\n$`))
})

test.each([
  ['#!/bin/sh\necho "$0 $1"', './first line a\n'],
  ['#! /bin/sh -f\necho "$1 *"', 'a *\n'],
  ['echo "$1"', 'a\n'],
])('%j is a program', async (text, out) => {
  writeFileSync(path.join(cwd, 'first line'), text, { mode: 0o700 })
  expect(await ended(['./first line', 'a'])).toEqual({ exit: 0, out, err: '' })
})

test('the first reason for which it was stopped stays when its time is over, too', async () => {
  const dir = `attempt-${++attempts}`
  const worker = await workers.start({ session: 's', dir, command: 'echo > began; sleep 30', env: {}, within: 3000 })
  await until(() => existsSync(path.join(cwd, 'began')))
  writeFileSync(path.join(root, 'sessions/s/work', dir, 'stopped'), 'timeout\n')
  expect(await worker.ended).toMatchObject({ stopped: 'timeout' })
})

test.each([
  ['a group', 'timeout', '600'],
  ['a session', 'setsid', '-w'],
])('A4 at the end of its time a command ends also in %s of its own, and is told so before', async (what, ...words) => {
  const [pidFile, told] = [path.join(cwd, `${what} pid`), path.join(cwd, `${what} told`)]
  const script = `trap 'touch "${told}"; sleep 60' TERM; echo $$ > "${pidFile}"; while :; do sleep 0.1; done`
  const command = [...words, 'sh', '-c', script]
  const worker = await workers.start({ session: 's', dir: words[0] ?? '', command, env: {}, within: 2500 })
  const pid = Number(await lineIn(pidFile))
  // Nobody is left who would end it.
  worker.detach()
  expect(isAlive(pid, '-')).toBe(true)
  // Who was killed is there until the system has come to it.
  await until(() => !isAlive(worker.pid, '-') && !isAlive(pid, '-'))
  expect(existsSync(told)).toBe(true)
})
