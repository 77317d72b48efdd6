import { mkdirSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

const place = new Place()
afterAll(() => place.remove())

const home = path.join(place.dir, 'home')
mkdirSync(home)
const run = (...args: readonly string[]) => place.runWith({ env: { STEADFOLD_HOME: home } }, ...args)

test('M2 cancel takes back what departed, and says so where nothing had', () => {
  place.data('session', 'create', 'auth')
  expect(run('teleport', 'cancel', 'auth')).toMatchObject({ status: 0, out: 'nothing to do: auth has not departed\n' })
  expect(run('key', 'create', 'laptop').status).toBe(0)
  expect(run('teleport', 'send', 'auth', '--recipient', 'laptop').status).toBe(0)
  expect(run('teleport', 'cancel', 'auth').out).toBe('auth is here again, epoch 2; delete what was sent\n')
  expect(run('teleport', 'cancel', 'auth').out).toBe('nothing to do: auth has not departed\n')
})
