/* Files of others as commands: shown first, taken over once, given back; and what is not written. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { craftDocument } from '../exchange/files.ts'
import { SECRETS } from '../redaction/secrets.ts'
import { Place } from './binary.ts'

const put = ({ dir }: Place, name: string, value: unknown) =>
  fs.writeFileSync(path.join(dir, name), typeof value === 'string' ? value : JSON.stringify(value))
const json = (text: string): { readonly data: Record<string, unknown> } =>
  // What the program prints with --json.
  JSON.parse(text) as { readonly data: Record<string, unknown> }

test('a dry run writes nothing, the first import does, and the second changes nothing', () => {
  const place = new Place()
  put(place, 'todo.json', [{ content: 'Mend the gate', status: 'pending' }])
  const dry = place.run('import', 'todo.json', '--dry-run')
  expect([dry.status, dry.out]).toEqual([0, expect.stringMatching(/1 {2}tasks {2}tasks/)])
  expect(json(place.run('session', 'list', '--json').out).data).toEqual([])
  expect(place.run('import', 'todo.json').status).toBe(0)
  const again = json(place.run('import', 'todo.json', '--json').out).data
  expect(again).toMatchObject({ imported: [{ kind: 'task-list', repeated: true, refused: [] }] })
  expect(place.run('task', 'list').out).toContain('Mend the gate')
})

test('what becomes of a part is said whole, however long its name and narrow the window', () => {
  const place = new Place()
  const others = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`replanning_reason_${at}`, at]))
  put(place, 'cp.json', { version: '1.3', current_phase: 1, ...others })
  const { out } = place.run('import', 'cp.json', '-n')
  expect(out).toMatch(/ {4}2 {2}fields +the workflow and where it stands\n/)
  expect(out).toMatch(
    / {4}9 {2}other fields: replanning_reason_0, .*replanning_reason_5 and 3 more {2}kept as they are, for the export\n/,
  )
})

test('a file that is larger than a text can be is told so', () => {
  const place = new Place()
  put(place, 'huge.json', '[')
  fs.truncateSync(path.join(place.dir, 'huge.json'), 600 * 2 ** 20)
  const { status, err } = place.run('import', 'huge.json')
  expect([status, err]).toEqual([4, expect.stringMatching(/huge\.json has 629,145,600 bytes, .*\nnext: split it/)])
})

test('a path that leads through a file is no reason to ask for a report', () => {
  const place = new Place()
  put(place, 'todo.json', [])
  const { status, err } = place.run('import', 'todo.json/x')
  expect([status, err]).toEqual([
    3,
    expect.stringMatching(/todo\.json\/x: ENOTDIR\nnext: something on the way is no folder\n$/),
  ])
})

test.each(['--if-seq=99', '--key=k'])('%s, which many commits cannot keep to, is not passed over', (flag) => {
  const place = new Place()
  put(place, 'todo.json', [{ content: 'Mend the gate', status: 'pending' }])
  place.data('session', 'create', 'here')
  expect(place.run('import', 'todo.json', '--session', 'here', flag).status).toBe(64)
  expect(place.data('session', 'show')).toMatchObject({ seq: 1 })
})

test('of a file that is not UTF-8 it is said what became of its bytes', () => {
  const place = new Place()
  const bytes = Buffer.from('[{"content":"Paint the caf\u00e9","status":"pending"}]', 'latin1')
  fs.writeFileSync(path.join(place.dir, 'todo.json'), bytes)
  expect(place.run('import', 'todo.json', '-n').out).toContain('! todo.json is not UTF-8')
  expect(place.data('import', 'todo.json')).toMatchObject({
    imported: [{ problems: ['todo.json is not UTF-8: bytes that are none were read as \ufffd'] }],
  })
})

test('the name that is said is that of the session it goes into', () => {
  const place = new Place()
  put(place, 'todo.json', [{ content: 'Mend the gate', status: 'pending' }])
  put(place, 'more.json', [{ content: 'Paint it', status: 'pending' }])
  place.run('session', 'create', 'other')
  const said = (...words: readonly string[]) => {
    const text = /into (\S+)/.exec(place.run('import', ...words).out)?.[1]
    const { imported, planned } = json(place.run('import', ...words, '--json').out).data
    return [text, ((imported ?? planned) as readonly { readonly name: string }[])[0]?.name]
  }
  expect(said('todo.json', '-n')).toEqual(['todo', 'todo'])
  expect(said('todo.json', '--name', 'plan', '-n')).toEqual(['plan', 'plan'])
  expect(said('todo.json', '--session', 'other', '-n')).toEqual(['other', 'other'])
  expect(said('todo.json', '--name', 'plan')).toEqual(['plan', 'plan'])
  expect(said('more.json', '--name', 'plan')).toEqual(Array(2).fill(expect.stringMatching(/^plan-[\da-f]{6}$/)))
  expect(said('more.json', '--session', 'other')).toEqual(['other', 'other'])
  const sessions = json(place.run('session', 'list', '--json').out).data as unknown as readonly { name: string }[]
  expect(sessions.map(({ name }) => name.replace(/-.*/, '')).toSorted()).toEqual(['other', 'plan', 'plan'])
})

test('what is not known exits 4, what is not there 3, a partly refused import 10', () => {
  const place = new Place()
  put(place, 'other.json', { a: 1 })
  put(place, 'cp.json', { version: '9.9', current_phase: 1 })
  expect(place.run('import', 'other.json').status).toBe(4)
  expect(place.run('import', 'absent.json').status).toBe(3)
  const dry = place.run('import', 'cp.json', '--dry-run')
  expect([dry.status, dry.out]).toEqual([10, expect.stringContaining('refused workflow.import: VERSION_UNKNOWN')])
  expect(json(place.run('import', 'cp.json', '-n', '--json').out).data).toMatchObject({
    planned: [{ refused: [{ op: 'workflow.import', code: 'VERSION_UNKNOWN' }], quarantined: 0 }],
  })
  expect(json(place.run('session', 'list', '--json').out).data).toEqual([])
  const partly = place.run('import', 'cp.json')
  expect([partly.status, partly.out]).toEqual([10, expect.stringContaining('VERSION_UNKNOWN')])
})

test('a craft document goes in and comes out; one that breaks its rules needs --lenient', () => {
  const place = new Place()
  put(place, 'craft.json', { ...craftDocument, session_id: 'garden' })
  const strict = place.run('import', 'craft.json')
  expect([strict.status, strict.err]).toEqual([4, expect.stringContaining('session_id: must be a UUID')])
  expect(place.run('import', 'craft.json', '--lenient').status).toBe(0)
  const out = JSON.parse(place.run('session', 'export', '--format', 'craft@1.0.0').out) as object
  expect(out).toMatchObject({ goal: craftDocument.goal, decisions_made: craftDocument.decisions_made })
  expect(place.run('session', 'export').out).toContain('- [x] Gate found')
  expect(place.run('session', 'export', '--format', 'other').status).toBe(64)
})

test('a session that had ended or was paused comes in so, and is said so before', () => {
  const place = new Place()
  const { session_id: id } = craftDocument
  const stands = (name: string) => {
    const { value } = json(place.run('state', 'get', 'session.lifecycle', '--session', name, '--json').out).data
    return value
  }
  put(place, 'craft.json', { ...craftDocument, status: 'error' })
  expect(place.run('import', 'craft.json', '-n').out).toContain('the session ends: failed')
  expect(place.run('import', 'craft.json').status).toBe(0)
  const name = `import-${id}`
  expect(stands(name)).toMatchObject({ status: 'terminated', outcome: 'failed' })
  expect(json(place.run('import', 'craft.json', '--json').out).data).toMatchObject({ imported: [{ repeated: true }] })
  expect(place.run('session', 'fork', name, 'further').status).toBe(0)
  expect(stands('further')).toMatchObject({ status: 'active' })
  put(place, 'craft.json', { ...craftDocument, status: 'paused' })
  expect(place.run('import', 'craft.json', '--name', 'rest').status).toBe(0)
  expect(stands('rest')).toMatchObject({ status: 'suspended' })
  expect(place.run('session', 'resume', 'rest').status).toBe(0)
  expect(place.run('session', 'create', 'own').status).toBe(0)
  expect(place.run('import', 'craft.json', '--session', 'own').status).toBe(0)
  expect(stands('own')).toMatchObject({ status: 'active' })
})

test('a folder goes on without the documents that break rules of their own, which are listed', () => {
  const place = new Place()
  fs.mkdirSync(path.join(place.dir, 'all'))
  put(place, 'all/craft.json', { ...craftDocument, session_id: 'garden' })
  put(place, 'all/worse.json', { ...craftDocument, completed_work: 7 })
  put(place, 'all/todo.json', [{ content: 'Mend the gate', status: 'pending' }])
  const broken = [
    { kind: 'craft-session', files: ['all/craft.json'], violations: ['session_id: must be a UUID'] },
    { kind: 'craft-session', files: ['all/worse.json'], unreadable: [expect.stringContaining('completed_work')] },
  ]
  const dry = place.run('import', 'all', '--dry-run', '--json')
  expect(dry.status).toBe(10)
  expect(json(dry.out).data).toMatchObject({ planned: [{ kind: 'task-list' }], broken })
  const done = place.run('import', 'all')
  expect([done.status, done.out]).toEqual([10, expect.stringContaining('session_id: must be a UUID')])
  expect(done.out).toContain('next: correct what is named, or take it as it is with --lenient')
  expect(place.run('task', 'list').out).toContain('Mend the gate')
  const lenient = place.run('import', 'all', '--lenient', '--json')
  expect([lenient.status, json(lenient.out).data['broken']]).toMatchObject([10, [broken[1]]])
  expect(json(lenient.out).data['imported']).toHaveLength(2)
})

test('a dry run names the sessions that an import makes, also of files of one name', () => {
  const place = new Place()
  const list = (content: string) => [{ content, status: 'pending' }]
  const named = (member: string, ...flags: readonly string[]) =>
    // As with --json.
    (json(place.run('import', 'all', '--json', ...flags).out).data[member] as readonly { name: string }[]).map(
      ({ name }) => name,
    )
  put(place, 'todo.json', list('Mend the gate'))
  expect(place.run('import', 'todo.json').status).toBe(0)
  for (const [at, folder] of ['all/a', 'all/b', 'all/c'].entries()) {
    fs.mkdirSync(path.join(place.dir, folder), { recursive: true })
    put(place, `${folder}/${at === 0 ? 'todo' : 'same'}.json`, list(`Mend ${folder}`))
  }
  const planned = named('planned', '--dry-run')
  expect(planned).toEqual([expect.stringMatching(/^todo-\w{6}$/), 'same', expect.stringMatching(/^same-\w{6}$/)])
  expect(named('imported')).toEqual(planned)
  expect(named('planned', '--dry-run')).toEqual(planned)
})

test('where one file of a folder has no place to go to, nothing is written of the others, and a dry run says so', () => {
  const place = new Place()
  fs.mkdirSync(path.join(place.dir, 'all'))
  for (const name of ['a', 'b', 'c']) put(place, `all/${name}.json`, [{ content: `Mend ${name}`, status: 'pending' }])
  place.data('session', 'create', 'b')
  for (const flags of [['-n'], []])
    expect(place.run('import', 'all', ...flags)).toMatchObject({
      status: 4,
      err: expect.stringContaining('there is a session "b" already') as string,
    })
  expect(place.data('session', 'list')).toMatchObject([{ name: 'b', seq: 1 }])
})

test('a file of a folder that is too large to be read with it is named', () => {
  const place = new Place()
  fs.mkdirSync(path.join(place.dir, 'all'))
  put(place, 'all/todo.json', [{ content: 'Mend the gate', status: 'pending' }])
  put(place, 'all/large.json', '')
  fs.truncateSync(path.join(place.dir, 'all/large.json'), 65 * 1024 * 1024)
  const said = place.run('import', 'all', '-n').out
  expect(said).toMatch(/all\/large\.json {2}it is larger than 64 MB: import it alone/)
  expect(json(place.run('import', 'all', '-n', '--json').out).data).toMatchObject({ unknown: ['all/large.json'] })
})

test('redact test shows where a secret stands, and no secret', () => {
  const place = new Place({ init: false })
  const [rule = '', secret = ''] = SECRETS[0] ?? []
  put(place, 'notes.txt', `first\nuse ${secret}\n`)
  const { status, out } = place.run('redact', 'test', 'notes.txt')
  expect([status, out]).toEqual([0, expect.stringContaining(rule)])
  expect(out).toContain('2:5')
  expect(out).not.toContain(secret)
  expect(place.run('redact', 'test', 'absent.txt').status).toBe(3)
})

test('a number and a list by the name of a secret are not written, nor a PIN that is configured', () => {
  const place = new Place()
  place.run('session', 'create', 'one')
  put(place, path.join('.steadfold', 'config.json'), { redaction: { names: ['pin'] } })
  const given = { password: '12345678', api_key: '998877665544', pin: '1234', user: '{"password":["hunter2xyz"]}' }
  for (const [name, value] of Object.entries(given))
    expect(place.run('state', 'set', `data.${name}`, value).status, name).toBe(0)
  const out = '[redacted:named-secret]'
  const data = { password: out, api_key: out, pin: out, user: { password: [out] } }
  expect(json(place.run('state', 'get', 'data', '--json').out).data).toMatchObject({ value: data })
})
