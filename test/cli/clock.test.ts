/* A wait is as long as it says, also where the clock of the machine is set back meanwhile. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bentClock, buildShim } from '../crash/rig/shim.ts'
import { until } from '../until.ts'
import { Place } from './binary.ts'

const shim = buildShim()
const HOUR = 3_600_000

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'one')
  place.data('lock', 'acquire', 'db', '--as', 'agent:a', '--ttl', '1h')
  place.data('channel', 'create', 'room')
  for (const agent of ['a', 'b']) place.data('turn', 'join', 'room', agent)
  place.data('turn', 'start', 'room', 'a')
})
afterEach(() => place.remove())

test
  .skipIf(shim === undefined)
  .each([
    [['lock', 'acquire', 'db', '--as', 'agent:b', '--wait', '2s']],
    [['message', 'receive', '--as', 'agent:b', '--wait', '2s']],
    [['wait', '--turn', 'b', '--timeout', '2s']],
  ])('%j gives up in time', async (line) => {
  const clock = bentClock(shim ?? '', place.dir)
  const waiting = place.startWith({ env: clock.env }, ...line)
  const ended = once(waiting, 'exit')
  await delay(1000)
  clock.jump(-2 * HOUR)
  // As long as a start may take on a busy machine, and far less than two hours.
  const late = setTimeout(() => waiting.kill('SIGKILL'), 60_000)
  const [status]: readonly unknown[] = await ended
  clearTimeout(late)
  expect(status).toBe(7)
})

test.skipIf(shim === undefined)(
  'Z2 a step that is adopted has the time it has, also where the clock was set ahead meanwhile',
  async () => {
    const steps = { long: { run: 'touch begun; until [ -e go ]; do sleep 0.1; done', timeout: '10m' } }
    const file = place.file('long.workflow.json', JSON.stringify({ name: 'long', states: { s: { steps }, done: {} } }))
    const clock = bentClock(shim ?? '', place.dir)
    const first = place.startWith({ env: clock.env }, 'run', file, '--json')
    const gone = once(first, 'exit')
    await until(() => existsSync(path.join(place.dir, 'begun')))
    first.kill('SIGKILL')
    await gone
    clock.jump(2 * HOUR)
    const second = place.startWith({ env: clock.env }, 'run', file, '--json')
    const over: Promise<readonly unknown[]> = once(second, 'exit')
    let said = ''
    second.stdout.on('data', (text: Buffer) => (said += text.toString()))
    await until(() => said.includes('step-adopted') || second.exitCode !== null)
    writeFileSync(path.join(place.dir, 'go'), '')
    expect([(await over)[0], said]).toEqual([0, expect.not.stringContaining('timeout')])
  },
)
