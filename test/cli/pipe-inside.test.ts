/* A named pipe in place of a file of the workspace: nobody will ever write to it, and nobody waits for that. */
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plainEnv, Place, PROGRAM } from './binary.ts'

let place: Place
let folder: string
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'main')
  folder = path.join('sessions', ...fs.readdirSync(path.join(place.dir, '.steadfold/sessions')))
})
afterEach(() => place.remove())

/** Its status, null when it had to be killed, and what it says. */
function done(file: string, ...line: readonly string[]) {
  const pipe = path.join(place.dir, '.steadfold', file)
  fs.mkdirSync(path.dirname(pipe), { recursive: true })
  fs.rmSync(pipe, { force: true })
  execFileSync('mkfifo', [pipe])
  const how = { cwd: place.dir, env: plainEnv(), timeout: 10_000, killSignal: 'SIGKILL' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...line], { ...how, encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

test.each([
  ['config.json', 'status'],
  ['names/n-main/1', 'state get data --session main'],
])('%s: %s is refused', (file, line) => {
  const said = expect.stringMatching(
    /ESPIPE\nnext: a pipe stands where a file of the workspace belongs; remove it/,
  ) as string
  expect(done(file, ...line.split(' '))).toEqual({ status: 8, said })
})

test.each([
  ['checkpoint.json', 'state get data --session main'],
  ['log/00000000000000000001.jsonl', 'verify'],
])('%s of a session: %s is refused', (file, line) => {
  place.data('session', 'create', 'sound')
  const said = expect.stringMatching(/ESPIPE/) as string
  expect(done(path.join(folder, file), ...line.split(' '))).toEqual({ status: 8, said })
  expect(place.run('verify').out).toMatch(/cannot be read[^]*sound +1 commits? +chain ok/)
})

test('what vouches for synced names is only a cache', () => {
  expect(done(path.join(folder, 'vouched'), 'state', 'set', 'data.a', '1').status).toBe(0)
})
