/* Two homes, two clocks, two roots: a session goes there and back, and each command is killed once. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from '../cli/binary.ts'
import { bentClock, buildShim } from '../crash/rig/shim.ts'
import { hasCeph, KEYS, startCeph } from '../servers/ceph.ts'

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'two-laptops', 'run.sh')
const SERVER = join(import.meta.dirname, '..', 'vault', 's3-server.mjs')
const HOURS_BEHIND = 5 * 3_600_000
const shim = buildShim()

let place: Place
beforeEach(() => {
  place = new Place({ init: false })
  mkdirSync(join(place.dir, 'bin'))
  chmodSync(place.file('bin/steadfold', `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`), 0o755)
})
afterEach(() => place.remove())

/** The desk's clock is five hours behind. */
function deskClock(): Record<string, string> {
  if (shim === undefined) return {}
  const clock = bentClock(shim, place.dir)
  clock.jump(-HOURS_BEHIND)
  return {
    DESK_CLOCK: Object.entries(clock.env)
      .map((pair) => pair.join('='))
      .join(' '),
  }
}

/** Not spawnSync: the server of the second test answers from here. */
function run(env: Readonly<Record<string, string>>): Promise<{ readonly status: number | null; readonly out: string }> {
  const PATH = `${join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`
  const child = spawn('sh', [EXAMPLE], { cwd: place.dir, env: plainEnv({ PATH, NO_COLOR: '1', ...env }) })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, out })))
}

test(
  'M1 a session goes from laptop to desk and back, by file and by folder, killed at every step',
  { timeout: 300_000 },
  async () => {
    const { status, out } = await run(deskClock())
    expect(status, out).toBe(0)
    expect(out.match(/argon2, then routes/g)).toHaveLength(2)
    expect(out).toContain('the plan was paid for 1 time')
    expect(out).toMatch(/session auth is owned by laptop \(epoch 5\)/)
    expect(out.match(/chain ok/g)).toHaveLength(2)
  },
)

/** What speaks S3 in the tests, where there is no Ceph. */
test.skipIf(hasCeph)('M1 the same by S3', { timeout: 300_000 }, async () => {
  const server = spawn(process.execPath, [SERVER])
  try {
    const lines = createInterface({ input: server.stdout })
    const address = await new Promise<string>((resolve) => lines.once('line', resolve))
    const keys = { AWS_ACCESS_KEY_ID: 'tester', AWS_SECRET_ACCESS_KEY: 'a secret of tests' }
    const { status, out } = await run({ ...keys, PLACE: `s3://bucket/two-laptops?endpoint=${address}` })
    expect(status, out).toBe(0)
    expect(out.match(/chain ok/g)).toHaveLength(2)
  } finally {
    server.kill()
  }
})

test.skipIf(!hasCeph)('M1 the same by the S3 of Ceph', { timeout: 300_000 }, async () => {
  const server = await startCeph()
  try {
    const { status, out } = await run({ ...KEYS, PLACE: `s3://bucket/auth?endpoint=${server.endpoint}` })
    expect(status, out).toBe(0)
    expect(out).toContain('the plan was paid for 1 time')
    expect(out.match(/chain ok/g)).toHaveLength(2)
  } finally {
    server.stop()
  }
})
