/* Who looks for a session that was put away is told where it is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 's1')
  place.data('state', 'set', 'data.x', '1')
  place.data('session', 'end', 's1')
  place.data('session', 'archive', 's1')
})
afterAll(() => place.remove())

test.each([
  'session show s1',
  'log -s s1',
  'state get -s s1',
  'state set data.x 2 -s s1',
  'state get',
  'log',
  'status -s s1',
])('%s: it is not there, but archived', (line) => {
  const { status, out, err } = place.run(...line.split(' '))
  expect([status, out]).toEqual([3, ''])
  expect(err).toContain('--archived')
})

test.each(['status', 'session list', 'log --archived', 'log -s s1 --archived', 'session show s1 --archived'])(
  '%s',
  (line) => {
    const { status, out } = place.run(...line.split(' '))
    expect(status).toBe(0)
    expect(out).toMatch(
      line.startsWith('log') ? /data\.x/ : line.endsWith('--archived') ? /s1/ : /1 archived.*--archived/,
    )
  },
)

test('a name that was never there is not said to be archived', () => {
  expect(place.run('session', 'show', 's2').err).not.toContain('archived')
})
