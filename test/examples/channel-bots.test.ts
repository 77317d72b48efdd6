/* Three bots of a few lines in one channel, as somebody runs them. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'

const BOTS = join(import.meta.dirname, '..', '..', 'examples', 'channel-bots')

let place: Place
beforeEach(() => {
  place = new Place({ init: false })
  mkdirSync(join(place.dir, 'bin'))
  chmodSync(place.file('bin/steadfold', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`), 0o755)
})
afterEach(() => place.remove())

test(
  'one dies, one hangs, one loops: the turn passes on each time, until the guard asks a person',
  { timeout: 120_000 },
  () => {
    const env = plainEnv({ PATH: `${join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' })
    const { status, stdout } = spawnSync('sh', [join(BOTS, 'run.sh')], { cwd: place.dir, env, encoding: 'utf8' })
    expect(status, stdout).toBe(0)
    expect(stdout).toMatch(/release +turn of mortal in room \(mortal offline, with the place kept\)/)
    expect(stdout).toMatch(/turn_completed {2}mortal {2}recovery/)
    expect(stdout).toMatch(/turn_timeout {2}sleeper/)
    expect(stdout).toMatch(/agent:sleeper \(late\): Answer after 2 s\./)
    expect(stdout.match(/agent:looper: Still thinking about it\./g)).toHaveLength(3)
    expect(stdout).toMatch(/room {2}stopped for a person: looper said the same 3 times/)
    expect(place.run('verify').status).toBe(0)
  },
)

test('a bot is ten lines of shell', () => {
  for (const file of readdirSync(BOTS).filter((name) => name !== 'run.sh'))
    expect(readFileSync(join(BOTS, file), 'utf8').trimEnd().split('\n').length, file).toBeLessThanOrEqual(10)
})
