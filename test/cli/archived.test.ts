/* Who looks for a session that was put away is told where it is. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as zlib from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

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

test('a run whose session is archived under it says so', () => {
  const under = new Place()
  const away = ['end', 'archive'].map((verb) => `node ${PROGRAM} session ${verb} away`).join('; ')
  const steps = { one: { run: away }, two: { run: 'true', needs: ['one'] } }
  const file = under.file('away.json', JSON.stringify({ name: 'away', states: { s: { steps }, done: {} } }))
  const { status, err } = under.run('run', file)
  under.remove()
  expect([status, err]).toEqual([3, expect.stringContaining('error: session "away" is archived\nnext: ')])
})

test('a name that was never there is not said to be archived', () => {
  expect(place.run('session', 'show', 's2').err).not.toContain('archived')
})

test.each(['show', 'restore'])('session %s --archived: what was never put away is not said to be missing', (verb) => {
  const here = new Place()
  here.data('session', 'create', 's1')
  const { status, err } = here.run('session', verb, 's1', '--archived')
  here.remove()
  expect([status, err]).toEqual([3, 'error: no archived session "s1"\nnext: steadfold session list --archived\n'])
})

test('of one that is damaged in the archive a backup is asked for, since nothing is repaired there', () => {
  const damaged = new Place()
  damaged.data('session', 'create', 's1')
  for (const verb of ['end', 'archive']) damaged.data('session', verb, 's1')
  const [id = ''] = fs.readdirSync(path.join(damaged.dir, '.steadfold/archive'))
  damaged.file(`.steadfold/archive/${id}/log/${'1'.padStart(20, '0')}.jsonl.gz`, 'no gzip')
  const { status, out } = damaged.run('verify', '--archived')
  damaged.remove()
  expect(status).toBe(9)
  expect(out).toMatch(/^next: bring what is missing of \S+ back from a backup$/m)
  expect(out).not.toContain('steadfold repair')
})

test('one that is damaged lies in no file of the workspace, and no repair is promised', () => {
  const own = new Place()
  const { session } = own.data<{ readonly session: { readonly id: string } }>('session', 'create', 'old')
  for (const n of ['1', '2', '3']) own.data('state', 'set', 'data.n', n)
  own.data('session', 'end', 'old')
  own.data('session', 'archive', 'old')
  const file = path.join(own.dir, '.steadfold/archive', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl.gz`)
  const log = zlib.gunzipSync(fs.readFileSync(file)).toString()
  fs.writeFileSync(file, zlib.gzipSync(log.replace('"value":2', '"value":7')))
  const { status, out } = own.run('verify', '--archived')
  expect([status, out]).toEqual([9, expect.stringMatching(/^ {2}segment 1 byte [\d,]+$/m)])
  expect(out).toMatch(/^next: bring what is missing of \S+ back from a backup$/m)
  const read = own.run('log', '-s', 'old', '--archived')
  expect([read.status, read.err]).toEqual([
    9,
    expect.stringMatching(/^next: bring what is missing of \S+ back from a backup$/m),
  ])
  own.remove()
})

test('one whose end is lost in the archive is verified there', () => {
  const own = new Place()
  const { session } = own.data<{ readonly session: { readonly id: string } }>('session', 'create', 'old')
  own.data('session', 'end', 'old')
  own.data('session', 'archive', 'old')
  const file = path.join(own.dir, '.steadfold/archive', session.id, 'log', `${'1'.padStart(20, '0')}.jsonl.gz`)
  const [first = ''] = zlib.gunzipSync(fs.readFileSync(file)).toString().split('\n')
  fs.writeFileSync(file, zlib.gzipSync(`${first}\n`))
  const [, line = ''] = /; see steadfold (verify.*)/.exec(own.run('log', '-s', 'old', '--archived').err) ?? []
  expect(own.run(...line.split(' ')).status).toBe(9)
  fs.writeFileSync(file, 'no gzip')
  expect(own.run('log', '-s', session.id, '--archived').err).toMatch(/^next: bring what is missing of \S+ back/m)
  own.remove()
})

test('a dry run of archive and of restore says no where the real one would', () => {
  const own = new Place()
  const begin = () => own.data<{ readonly session: { readonly id: string } }>('session', 'create', 'old').session.id
  const [id, end] = [begin(), () => own.data('session', 'end', 'old')]
  own.data('state', 'set', 'data.n', '2')
  end()
  const refused = (status: number, ...line: readonly string[]) => {
    const [said, done] = [own.run(...line, '--dry-run'), own.run(...line)]
    expect([said.status, said]).toEqual([status, done])
  }
  const log = `.steadfold/sessions/${id}/log/${'1'.padStart(20, '0')}.jsonl`
  const whole = fs.readFileSync(path.join(own.dir, log), 'utf8')
  own.file(log, whole.replace('"value":2', '"value":7'))
  refused(9, 'session', 'archive', 'old')
  own.file(log, whole)
  own.data('session', 'archive', 'old')
  begin()
  refused(4, 'session', 'restore', 'old', '--archived')
  own.run('session', 'rename', 'old', 'other')
  const archived = path.join(own.dir, `.steadfold/archive/${id}/log/${'1'.padStart(20, '0')}.jsonl.gz`)
  fs.writeFileSync(archived, zlib.gzipSync(whole.replace('"value":2', '"value":7')))
  refused(9, 'session', 'restore', 'old', '--archived')
  own.remove()
})
