/* A wait is as long as it says, also where the clock of the machine is set back meanwhile. */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bentClock, buildShim } from '../crash/rig/shim.ts'
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
  ])(
  '%j gives up in time',
  async (line) => {
    const clock = bentClock(shim ?? '', place.dir)
    const waiting = place.startWith({ env: clock.env }, ...line)
    const ended = once(waiting, 'exit')
    await delay(1000)
    clock.jump(-2 * HOUR)
    const late = delay(10_000).then(() => waiting.kill('SIGKILL'))
    const status: unknown = await Promise.race([ended.then(([code]: readonly unknown[]) => code), late])
    expect(status).toBe(7)
  },
  30_000,
)
