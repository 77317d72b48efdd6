/* Two machines, one relay, one kill -9, as somebody runs it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'
import { Relay } from '../relay/rig.ts'

const SCRIPT = join(import.meta.dirname, '..', '..', 'examples', 'nostr-conversation', 'run.sh')

test(
  'two stores that were apart end with the same hash; the relay has each event once',
  { timeout: 300_000 },
  async () => {
    const place = new Place({ init: false })
    const relay = await new Relay().start()
    mkdirSync(join(place.dir, 'bin'))
    chmodSync(place.file('bin/steadfold', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`), 0o755)
    const env = plainEnv({ PATH: `${join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`, MESSAGES: '2' })
    const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, relay.url, join(place.dir, 'stores')], {
      cwd: place.dir,
      env,
      encoding: 'utf8',
    })
    expect(status, stdout + stderr).toBe(0)
    const [, ana, bo] = /ana ([0-9a-f]{64})\nbo {2}([0-9a-f]{64})/.exec(stdout) ?? []
    expect(ana).toBe(bo)
    expect(stdout).toMatch(/13 messages/)
    expect([relay.ids.length, new Set(relay.ids).size]).toEqual([13, 13])
    await relay.kill()
    place.remove()
  },
)
