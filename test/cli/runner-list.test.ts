/* Who works on a session, also right after one of them was killed. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

interface Listed {
  readonly value: readonly { readonly pid: number; readonly drives: boolean; readonly gone: string | null }[]
}

test('a runner that was killed is told as gone before its lease is over, the others as they are', async () => {
  const steps = { long: { run: 'touch begun; until [ -e go ]; do sleep 0.1; done' } }
  const file = place.file('long.workflow.json', JSON.stringify({ name: 'long', states: { s: { steps }, done: {} } }))
  const driver = place.start('run', file)
  await until(() => existsSync(path.join(place.dir, 'begun')))
  const worker = place.start('run', '--worker', '--session', 'long')
  const listed = () => place.data<Listed>('runner', 'list', '--session', 'long').value
  await until(() => listed().length === 2)
  const row = (pid: number | undefined, drives: boolean, gone: string | null) => ({ pid, drives, gone })
  const before = [row(driver.pid, true, null), row(worker.pid, false, null)]
  expect(listed()).toMatchObject(before)
  const ended = once(worker, 'exit')
  worker.kill('SIGKILL')
  await ended
  const gone = `pid ${worker.pid} not running`
  expect(listed()).toMatchObject([row(driver.pid, true, null), row(worker.pid, false, gone)])
  expect(place.run('runner', 'list', '--session', 'long').out).toContain(gone)
  place.file('go', '')
  await once(driver, 'exit')
})
