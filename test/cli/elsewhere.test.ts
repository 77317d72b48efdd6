/* Sessions that go on at another machine, beside those that go on here. */
import { mkdirSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

const here = new Place()
afterAll(() => here.remove())

const home = path.join(here.dir, 'home')
for (const name of [home, path.join(here.dir, 'origin')]) mkdirSync(name)
const runAt = (place: Place, ...args: readonly string[]) => place.runWith({ env: { STEADFOLD_HOME: home } }, ...args)

test('recover passes over one that has departed, and says of it why when it is named', async () => {
  expect(runAt(here, 'key', 'create', 'laptop').status).toBe(0)
  for (const name of ['away', 'mine']) {
    here.data('session', 'create', name)
    here.data('agent', 'register', 'w', 'worker', '--ttl-ms', '8000', '--session', name)
  }
  expect(runAt(here, 'teleport', 'send', 'away', '--recipient', 'laptop').status).toBe(0)
  // Longer than all of this takes on a busy machine: one that is over before it departs is told with that.
  await sleep(8100)
  expect(here.data('recover')).toMatchObject({ sessions: [{ name: 'mine' }] })
  expect(here.run('recover', 'away')).toMatchObject({ status: 6 })
})

test('T2 a copy of one that another workspace owns is departed here: nobody is asked about it, and it is not the one that is meant', () => {
  const there = new Place()
  for (const place of [here, there])
    expect(runAt(place, 'remote', 'add', 'origin', path.join(here.dir, 'origin'), '--recipient', 'laptop').status).toBe(
      0,
    )
  here.data('session', 'create', 'moved')
  expect(runAt(here, 'teleport', 'send', 'moved', '--remote', 'origin').status).toBe(0)
  expect(runAt(there, 'teleport', 'receive', 'moved', '--remote', 'origin').status).toBe(0)
  there.data('message', 'send', '"which hash?"', '--to', 'human:ana')
  for (const [place, line] of [
    [there, 'push'],
    [here, 'pull'],
  ] as const)
    expect(runAt(place, line, 'moved').status).toBe(0)
  there.remove()
  expect(here.data('session', 'list', '--status', 'departed')).toMatchObject([{ name: 'away' }, { name: 'moved' }])
  expect(here.data('status')).toMatchObject({ needs_you: [{ name: 'mine' }], idle: [{ name: 'mine' }], hidden: 2 })
  expect(here.run('state', 'set', 'data.a', '1').status).toBe(0)
})

test('what goes on elsewhere does not end here, so archive does not say to end it here', () => {
  for (const name of ['away', 'moved'])
    expect(here.run('session', 'archive', name)).toMatchObject({
      status: 4,
      err: expect.stringMatching(
        /^next: end it where it goes on, then take in what is new; .* teleport cancel /m,
      ) as string,
    })
})

test('of a place that is not there the others are named, as words that both commands take', () => {
  for (const line of [
    ['remote', 'remove', 'nowhere'],
    ['push', 'mine', '--remote', 'nowhere'],
  ])
    expect(here.run(...line)).toMatchObject({ status: 3, err: 'error: no place nowhere\nnext: one of origin\n' })
})
