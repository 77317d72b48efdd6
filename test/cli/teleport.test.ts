/* Lines that move a session. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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
  expect(run('session', 'show', 'auth').out).toMatch(/^  departed\n(?: {4}.*\n)* {4}to +laptop\n/m)
  expect(place.data('session', 'list', '--status', 'departed')).toMatchObject([{ name: 'auth' }])
  expect(run('session', 'list').out).toMatch(/^auth  departed  /)
  expect(run('status').out).toBe('nothing to do\n1 ended, suspended or departed; steadfold status --all\n')
  expect(run('teleport', 'cancel', 'auth').out).toBe('auth is here again, epoch 2; delete what was sent\n')
  expect(run('teleport', 'cancel', 'auth').out).toBe('nothing to do: auth has not departed\n')
})

test('names in other scripts each have a file of their own', () => {
  for (const name of ['проверка', '日本語', 'größe & हिन्दी']) place.data('session', 'create', name)
  const files = ['проверка', '日本語', 'größe & हिन्दी'].map(
    (name) => /([^/]*)  \d+ commit/.exec(run('bundle', 'pack', name, '--recipient', 'laptop').out)?.[1],
  )
  expect(files).toEqual(['проверка.steadfold', '日本語.steadfold', 'größe_हिन्दी.steadfold'])
})

test.each([
  ['send auth', '--recipient', 'desk'],
  ['send auth', '--patch'],
  ['send auth', '--patch-secrets', 'keep'],
  ['send auth', '--transcript', 'notes.md'],
  ['send auth', '--passphrase-file', 'words'],
  ['send auth', '--out', 'auth.steadfold'],
  ['send auth', '--force'],
  ['receive auth', '--from', 'laptop'],
  ['receive auth', '--max-bytes', '1000'],
  ['receive auth', '--passphrase-file', 'words'],
])('teleport %s --remote: what would not count is refused: %s', (line, ...flags) => {
  const { status, err } = run('teleport', ...line.split(' '), '--remote', 'origin', ...flags)
  expect([status, err]).toEqual([64, expect.stringContaining(`${flags[0]} goes with a file, not with --remote`)])
})

test('a session that brings a name which another has here is told by its id', () => {
  const there = new Place()
  const over = (...args: readonly string[]) => there.runWith({ env: { STEADFOLD_HOME: home } }, ...args)
  const { session } = there.data<{ readonly session: { readonly id: string } }>('session', 'create', 'shared')
  const { id } = session
  for (const each of [run, over]) each('remote', 'add', 'between', path.join(there.dir, 'between'), '--open')
  mkdirSync(path.join(there.dir, 'between'))
  over('push', 'shared')
  expect(run('pull', 'shared')).toMatchObject({ status: 0, err: '' })
  place.data('session', 'create', 'own')
  over('session', 'rename', 'shared', 'own')
  const bundle = path.join(there.dir, 'own.steadfold')
  expect(over('bundle', 'pack', '--recipient', 'laptop', '--out', bundle).status).toBe(0)
  over('push', 'own')
  const told = `warning: another session here is called "own": name this one by its id, or steadfold session rename ${id} NEW-NAME\n`
  expect(run('pull', 'shared')).toMatchObject({ status: 0, out: '1 commit taken, up to 2\n', err: told })
  expect(run('bundle', 'unpack', bundle)).toMatchObject({ status: 0, err: told })
  expect(run('state', 'get', '--session', 'shared').err).toContain(`next: steadfold session show ${id}\n`)
  expect(over('teleport', 'send', 'own', '--remote', 'between').status).toBe(0)
  expect(run('teleport', 'receive', id, '--remote', 'between')).toMatchObject({
    out: expect.stringContaining(`steadfold status --session ${id}`) as unknown,
    err: told,
  })
  expect(run('session', 'rename', id, 'theirs').status).toBe(0)
  run('remote', 'remove', 'between')
  there.remove()
})

test('receive asks for the folder of the project before it takes anything', () => {
  const root = path.join(place.dir, 'app')
  const { status, err } = run('teleport', 'receive', 'auth.steadfold', '--root', root)
  expect([status, err]).toEqual([
    3,
    `error: there is no folder ${root}\nnext: bring the project there, or: mkdir -p ${root}\n`,
  ])
})

test('Y3 one session that does not hold together at a place hides no other', () => {
  const depot = path.join(place.dir, 'depot')
  mkdirSync(depot)
  run('remote', 'add', 'origin', depot, '--open')
  const pushed = ['whole', 'torn', 'last'].map((name) => {
    const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', name)
    expect(run('push', name).status).toBe(0)
    return session.id
  })
  writeFileSync(path.join(depot, 'sessions', pushed[1] ?? '', 'heads', '1'.padStart(20, '0')), 'nothing')
  const { status, out } = run('remote', 'show')
  expect(status, out).toBe(10)
  expect(out).toMatch(/^whole +up to date .*\ntorn +LOG_CORRUPT .*\nlast +up to date .*\ntorn: .*\nnext: \S.*\n$/)
  const { data } = JSON.parse(run('remote', 'show', '--json').out) as { readonly data: unknown }
  expect(data).toMatchObject({
    sessions: [{ standing: 'up to date' }, { standing: 'unknown', error: { code: 'LOG_CORRUPT' } }, { name: 'last' }],
  })
})

test('a file that cannot be taken in says what to do next', () => {
  expect(run('teleport', 'receive', 'nofile').err).toMatch(/^next: check the path; .*steadfold teleport send/m)
  place.data('session', 'create', 'empty')
  writeFileSync(path.join(place.dir, 'latin1.json'), Buffer.from('{"name":"gr\xf6\xdfe"}', 'latin1'))
  const { status, err } = run('workflow', 'import', 'latin1.json', '--session', 'empty')
  expect([status, err]).toEqual([4, 'error: latin1.json is not UTF-8\nnext: write it as UTF-8, then try again\n'])
})

test('M4 what is missing here is said before a session goes without it', () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'holed')
  const long = ['once', 'long', '--session', 'holed', '--', 'sh', '-c', 'head -c 200000 /dev/zero | base64']
  expect(run(...long).status).toBe(0)
  const blobs = path.join(place.dir, '.steadfold', 'sessions', session.id, 'blobs', 'sha256')
  const [blob = ''] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 64)
  rmSync(path.join(blobs, blob))
  mkdirSync(path.join(place.dir, 'there'))
  run('remote', 'add', 'there', path.join(place.dir, 'there'), '--open')
  for (const line of [
    'bundle pack holed -r laptop',
    'teleport send holed -r laptop --force',
    'teleport send holed --remote there',
  ]) {
    const { status, err } = run(...line.split(' '))
    expect(status, err).toBe(0)
    expect(err).toContain(`goes without what is missing here: blob ${path.basename(blob)}`)
    run('teleport', 'cancel', 'holed')
  }
})
