/* What a copy of a workspace says of the sessions that stay behind. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

test('C3 why a session was not copied is told whole, with the next step', () => {
  place.run('session', 'create', 'build')
  place.run('session', 'create', 'other')
  place.run('workspace', 'copy', '.', 'to')
  for (const dir of ['.', 'to']) place.run('state', 'set', 'data.x', dir, '--session', 'build', '--dir', dir)
  place.run('state', 'set', 'data.x', '1', '--session', 'other', '--dir', 'to')
  const { status, out } = place.run('workspace', 'copy', '.', 'to')
  expect(status).toBe(10)
  expect(out).toMatch(/^build {2}DIVERGED {2}not copied$/m)
  expect(out).toMatch(/^build: session \S+ is there with another history, which commit 2 ends\nnext: copy to an empty/m)
  expect(out).toMatch(
    /^other: session \S+ went on there: it is at commit 2, and here at 1\nnext: nothing of it is missing/m,
  )
})

test('C1 the line that frees a name frees it where another has it', () => {
  for (const dir of ['.', 'to']) place.run('init', '--dir', dir)
  place.run('session', 'create', 'build')
  place.run('workspace', 'copy', '.', 'to')
  place.run('session', 'rename', 'build', 'taken')
  place.run('session', 'create', 'taken', '--dir', 'to')
  const { status, out } = place.run('workspace', 'copy', '.', 'to')
  const line = /steadfold (session rename .*) NEW-NAME$/m.exec(out)?.[1] ?? ''
  expect([status, place.run(...line.split(' '), 'free').status]).toEqual([10, 0])
  expect(place.run('workspace', 'copy', '.', 'to')).toMatchObject({ status: 0, out: 'taken  seq 2  1 commit copied\n' })
})

test.runIf(process.platform === 'linux')('where no folder can be made, that is told', () => {
  place.run('init')
  expect(place.run('workspace', 'copy', '.', '/proc/one/two').err).toMatch(/^error: .*\/proc\/one/)
})

test('how many archived sessions stay behind is told, and where they are', () => {
  place.run('session', 'create', 'build')
  place.run('session', 'end', 'build')
  place.run('session', 'archive', 'build')
  const left = 'left behind: 1 archived session; steadfold session list --archived --dir .'
  expect(place.run('workspace', 'copy', '.', 'to')).toMatchObject({ status: 0, out: `nothing to copy\n${left}\n` })
  place.run('session', 'create', 'other')
  expect(place.run('workspace', 'copy', '.', 'to').out).toMatch(new RegExp(`^other .* copied\n${left}\n$`))
  const { data } = JSON.parse(place.run('workspace', 'copy', '.', 'to', '--json').out) as { readonly data: object }
  expect(data).toMatchObject({ archived: 1, sessions: [{ name: 'other' }] })
  expect(place.run('workspace', 'copy', 'to', 'third').out).not.toContain('left behind')
})
