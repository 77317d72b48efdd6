/* A transition with a command that is asked for again, as by a script that was not told how it ended. */
import { existsSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'demo')
  place.data('workflow', 'define', place.file('w.yaml', 'retry_limit: 1\nstates: { a: {}, b: {}, c: {} }\n'))
})
afterEach(() => place.remove())

const transition = (...words: readonly string[]) => place.run('workflow', 'transition', ...words)
const show = () =>
  place.data<{ readonly current: string; readonly intent: object | null; readonly error: object | null }>(
    'workflow',
    'show',
  )
const current = () => show().current
const effect = () => (existsSync(path.join(place.dir, 'it')) ? readFileSync(path.join(place.dir, 'it'), 'utf8') : '')
const effecting = ['--', 'sh', '-c', 'echo did >> it'] as const

test('L7 with its key it is done once, also while another is under way', () => {
  const again = () => transition('b', '--key', 'once', ...effecting)
  expect([again().status, again().status]).toEqual([0, 0])
  transition('c', '--begin')
  expect(again()).toMatchObject({ status: 0, out: 'seq 6  a → b  (done before, with this key)\n' })
  expect([current(), effect()]).toEqual(['b', 'did\n'])
})

test('L7 with its key one that failed goes on, and each retry is counted', () => {
  const again = () => transition('b', '--key', 'once', '--', 'sh', '-c', 'echo did >> it; exit 3')
  expect([again().status, again().status, again().status]).toEqual([10, 10, 4])
  expect([current(), effect()]).toEqual(['a', 'did\ndid\n'])
})

test('resumed with a command it heeds what holds for every write: where it stands, its key and the reason', () => {
  transition('b', '--begin')
  const resume = (...words: readonly string[]) => transition('--resume', ...words, ...effecting).status
  expect([resume('--if-seq', '1'), effect()]).toEqual([5, ''])
  expect(resume('--if-seq', '3', '--key', 'once', '--reason', 'it may')).toBe(0)
  expect(place.run('log').out).toContain('it may')
  transition('c', '--begin')
  expect([resume('--key', 'once'), current(), effect()]).toEqual([0, 'b', 'did\n'])
})

test.each([
  [0, 4],
  [3, 10],
])('what became of a command says nothing of a transition that was begun behind its own: exit %i', (exit, status) => {
  const way = `node ${PROGRAM} workflow transition`
  const script = `${way} --abandon && ${way} b --begin; exit ${exit}`
  expect(transition('b', '--', 'sh', '-c', script)).toMatchObject({
    status,
    err: expect.stringContaining('workflow show') as string,
  })
  expect(show()).toMatchObject({ current: 'a', intent: { to: 'b' }, error: null })
})

test('another command than the one that runs for it is refused with what can be done', () => {
  const nested = `node ${PROGRAM} workflow transition --resume -- true`
  expect(transition('b', '--', 'sh', '-c', `${nested} 2> it; true`).status).toBe(0)
  expect(effect()).toMatch(/^next: .*steadfold workflow transition b --abandon$/m)
})

test('L7 with its key one that was taken back is not said to be done', () => {
  const again = () => transition('b', '--key', 'once', '--', 'false')
  expect(again().status).toBe(10)
  transition('--abandon')
  expect(again()).toMatchObject({
    status: 4,
    err: expect.stringMatching(/was taken back\nnext: .*another key/) as string,
  })
})

test('L7 with its key one that was made without a command is done', () => {
  transition('b', '--key', 'once')
  expect(transition('b', '--key', 'once', ...effecting)).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^seq 3 /) as string,
  })
  expect(effect()).toBe('')
})
