/* Sessions that go on at another machine, beside those that go on here. */
import { mkdirSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

const here = new Place()
afterAll(() => here.remove())

const home = path.join(here.dir, 'home')
mkdirSync(home)
const runAt = (place: Place, ...args: readonly string[]) => place.runWith({ env: { STEADFOLD_HOME: home } }, ...args)

test('recover passes over one that has departed, and says of it why when it is named', async () => {
  expect(runAt(here, 'key', 'create', 'laptop').status).toBe(0)
  for (const name of ['away', 'mine']) {
    here.data('session', 'create', name)
    here.data('agent', 'register', 'w', 'worker', '--ttl-ms', '2000', '--session', name)
  }
  expect(runAt(here, 'teleport', 'send', 'away', '--recipient', 'laptop').status).toBe(0)
  await sleep(2100)
  expect(here.data('recover')).toMatchObject({ sessions: [{ name: 'mine' }] })
  expect(here.run('recover', 'away')).toMatchObject({ status: 6 })
})
