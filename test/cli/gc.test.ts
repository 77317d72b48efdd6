/* Retention as a command: said first, done with --yes, and what was put away is still read. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
})
afterAll(() => place.remove())

const AGES = ['--archive-after', '0s', '--tidy-after', '0s']
const names = (...flags: readonly string[]) =>
  place.data<readonly { readonly name: string }[]>('session', 'list', ...flags).map(({ name }) => name)

test('G4 gc says the same before and after, does nothing without --yes, and the archive is read and brought back', () => {
  for (const name of ['old', 'live']) expect(place.run('session', 'create', name).status).toBe(0)
  place.run('state', 'set', 'data.topic', 'auth', '--session', 'old')
  place.run('session', 'end', 'old')
  place.run('task', 'add', 'one', '--session', 'live')
  place.run('task', 'cancel', 'task-1', '--session', 'live')
  const [said, again] = [place.run('gc', ...AGES), place.run('gc', ...AGES, '--yes', '--dry-run')]
  expect(said.out).toMatch(
    /^archive {2}old .*\ntidy {5}live {2}1 finished task\nnothing was done; steadfold gc --archive-after 0d --tidy-after 0d --yes does them/,
  )
  const stable = (text: string) =>
    text
      .replaceAll(/ended \d+ \w+ ago/g, '')
      .split('\n')
      .slice(0, 2)
  expect(stable(again.out)).toEqual(stable(said.out))
  expect(names()).toEqual(['old', 'live'])
  const done = place.run('gc', ...AGES, '--yes')
  expect(stable(done.out)).toEqual(stable(said.out))
  expect(done.out).toMatch(/done {5}2 of 2\n$/)
  expect([names(), names('--archived')]).toEqual([['live'], ['old']])
  expect(place.data('session', 'show', 'old', '--archived')).toMatchObject({ status: 'terminated' })
  expect(place.data('verify', '--archived', '--deep')).toMatchObject([{ ok: true, checkpoint: 'ok', dangling: [] }])
  expect(place.run('session', 'restore', 'old', '--archived').out).toBe('brought back old, 3 commits\n')
  expect(names()).toEqual(['old', 'live'])
})

test('what gc tells does what it told: to the same session, after the same time', () => {
  place.run('session', 'create', "o'ld")
  place.run('session', 'end', "o'ld")
  const { out } = place.run('gc', "o'ld", '--archive-after', '0s', '--tidy-after', '90m')
  expect(out).toMatch(/; steadfold gc 'o'\\''ld' --archive-after 0d --tidy-after 90m --yes does it$/m)
  expect(place.run('gc', "o'ld", '--archive-after', '0d', '--tidy-after', '90m', '--yes').out).toContain('1 of 1')
})

test('gc wants a whole name, an age that is one, and says so', () => {
  expect(place.run('gc', 'nowhere').status).toBe(3)
  expect(place.run('gc', '--archive-after', 'soon').status).toBe(64)
  expect(place.run('session', 'restore', 'nowhere', '--archived').status).toBe(3)
})

test('verify tells of a session whose log folder is gone, by exit 9 and with what to do', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'lost')
  const log = path.join(place.dir, '.steadfold', 'sessions', session.id, 'log')
  fs.renameSync(log, path.join(place.dir, 'kept'))
  const told = place.run('verify')
  expect(told.status).toBe(9)
  expect(told.out).toContain('its log is gone')
  expect(place.run('verify', '--session', session.id).status).toBe(9)
  expect(place.run('status').out).toMatch(new RegExp(`^ *DAMAGED +${session.id} +log +its log is gone `, 'm'))
  expect(place.run('health').status).toBe(9)
  fs.renameSync(path.join(place.dir, 'kept'), log)
  expect(place.run('verify').status).toBe(0)
  expect(place.run('status').out).not.toContain('DAMAGED')
})

test('what is named and not there is listed by verify --deep and counted by doctor; nothing is reset', () => {
  const own = new Place()
  own.run('session', 'create', 'one')
  own.run('agent', 'register', 'lead', 'lead')
  own.run('lock', 'acquire', 'db', '--as', 'agent:ghost')
  const told = own.data<readonly { readonly dangling: readonly { readonly names: string }[] }[]>('verify', '--deep')
  expect(told[0]?.dangling.map((each) => each.names)).toEqual(['agent ghost'])
  const { checks } = own.data<{ readonly checks: readonly { readonly name: string; readonly status: string }[] }>(
    'doctor',
  )
  expect(checks.find(({ name }) => name === 'references')).toMatchObject({ status: 'warn' })
  expect(own.run('lock', 'list').out).toContain('agent:ghost')
  own.remove()
})
