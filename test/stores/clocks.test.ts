/* The clock of a machine may differ from that of the store, whose times are those of the log. */
import { describe, expect, test } from 'vitest'
import { buildShim, bentClock } from '../crash/rig/shim.ts'
import { bothServers } from '../servers/both.ts'
import { hasNats } from '../servers/nats.ts'
import { hasPostgres } from '../servers/postgres.ts'
import { User } from './user.ts'

const shim = buildShim()
const HOUR = 3_600_000
const urls = bothServers()

describe.skipIf(shim === undefined)('how long ago a thing was goes by the clock of the store', () => {
  test.each([
    ['postgres', hasPostgres, HOUR],
    ['postgres', hasPostgres, -HOUR],
    ['nats', hasNats, HOUR],
    ['nats', hasNats, -HOUR],
  ] as const)('%s', (name, isThere, ahead) => {
    if (!isThere) return
    const user = new User(`${urls[name]}?namespace=clock${ahead > 0 ? 'ahead' : 'behind'}`, 'flag')
    for (const line of ['init', 'session create one', 'message send hello --to w'])
      expect(user.run(line.split(' ')).status).toBe(0)
    const clock = bentClock(shim ?? '', user.place.dir)
    clock.jump(ahead)
    const told = (line: string) => user.run(line.split(' '), '', clock.env).out
    expect(told('session list')).toMatch(/ [1-9]?\ds ago /)
    expect(told('status')).toMatch(/ [1-9]?\ds ago\n/)
    expect(told('message list')).toMatch(/ [1-9]?\ds ago /)
    user.remove()
  })
})
