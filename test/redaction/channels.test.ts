/* D4 where it counts: whatever way a secret comes in, it is in no file of the workspace. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { openRunner, openWorkspace } from '../../src/index.ts'
import { keepBlob } from '../../src/kernel/operation/texts.ts'
import { getAt, parsePath } from '../../src/kernel/path/path.ts'
import { temporaryFolder } from '../conformance/kit.ts'
import { SECRETS } from './secrets.ts'

const SECRET = SECRETS[0]?.[1] ?? ''
const OUT = '[redacted:github-token]'

async function opened(config?: object) {
  const dir = temporaryFolder()
  if (config !== undefined) {
    fs.mkdirSync(path.join(dir, '.steadfold'), { mode: 0o700 })
    fs.writeFileSync(path.join(dir, '.steadfold', 'config.json'), JSON.stringify(config))
  }
  const workspace = await openWorkspace({ dir })
  return { dir, workspace, session: await workspace.createSession({ name: 'one' }) }
}

function filesWith(dir: string, text: string): readonly string[] {
  const all = fs.readdirSync(path.join(dir, '.steadfold'), { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(text))
}

test('D4 input, keys of it, reason and actor', async () => {
  const { dir, session } = await opened()
  const by = { reason: `since ${SECRET}`, actor: `tool:${SECRET}` }
  const answer = await session.run('state.set', { path: '$.data.note', value: { [SECRET]: [`a ${SECRET} b`] } }, by)
  expect(answer).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data.note')).toEqual({ [OUT]: [`a ${OUT} b`] })
  expect(JSON.stringify(answer)).not.toContain(SECRET)
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 4 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('G4 a dry run answers what the operation would: cleaned, or refused where a name is left out', async () => {
  const { session } = await opened()
  for (const [name, input] of [
    ['output.set', { name: SECRET, value: 'a' }],
    ['state.set', { path: '$.data.note', value: SECRET }],
  ] as const) {
    const dry = await session.run(name, input, { dryRun: true })
    expect(JSON.stringify(dry)).not.toContain(SECRET)
    expect(await session.run(name, input)).toEqual(dry)
  }
  await session.close()
})

test.each(['reason', 'actor'] as const)('D4 a secret in the %s alone, again and again', async (member) => {
  const { dir, session } = await opened()
  const by = { [member]: `tool:${SECRET}` }
  for (const value of [1, 2]) {
    await session.run('state.set', { path: '$.data.n', value })
    expect(await session.run('state.set', { path: '$.data.n', value: -value }, by)).toMatchObject({ kind: 'accepted' })
  }
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 2 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('D4 an idempotency key is kept as its hash, and tells requests apart as before', async () => {
  const { dir, session } = await opened()
  const set = (key: string, value: number) => session.run('state.set', { path: '$.data.n', value }, { key })
  await set(SECRET, 1)
  await set(`${SECRET.slice(0, -1)}Z`, 2)
  expect(await set(SECRET, 3)).toMatchObject({ repeated: true })
  expect(session.get('$.data.n')).toBe(2)
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('D4 what comes to nothing once it is clean is no commit, and what needs a name is refused', async () => {
  const { session } = await opened()
  const say = () => session.run('output.set', { name: 'token', value: SECRET })
  await say()
  const { seq } = session
  await say()
  expect(session.seq).toBe(seq)
  const named = await session.run('agent.register', { id: SECRET, role: 'worker' })
  expect(named).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(JSON.stringify(named)).not.toContain(SECRET)
  await session.close()
})

test('D4 a session is found by its name, so one that holds a secret is refused before anybody claims it', async () => {
  const { dir, workspace, session } = await opened()
  const name = `of ${SECRET}`
  const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('holds a secret (github-token)') as string }
  await expect(workspace.createSession({ name })).rejects.toMatchObject(refused)
  await expect(workspace.rehearse({ name })).rejects.toMatchObject(refused)
  await expect(workspace.fork(session, name)).rejects.toMatchObject(refused)
  expect(await session.run('session.rename', { name })).toMatchObject({ kind: 'refused', ...refused })
  expect(session.get('$.session.name')).toBe('one')
  const all = fs.readdirSync(path.join(dir, '.steadfold'), { recursive: true, encoding: 'utf8' })
  expect(all.filter((file) => file.includes(SECRET))).toEqual([])
})

test('D4 operations that complete their input before they are decided', async () => {
  const { dir, session } = await opened()
  const asked: readonly (readonly [name: string, input: object])[] = [
    ['chat.open', { title: `of ${SECRET}`, id: 'talk' }],
    ['chat.post', { conversation: 'talk', text: `use ${SECRET}` }],
    ['chat.archive', { conversation: 'talk' }],
    ['session.mark', { name: 'here' }],
    ['state.set', { path: 'data.a', value: 1 }],
    ['session.restore', { to: 'here' }],
    ['supervise.start', { kind: 'research', workers: [{ id: 'a' }, { id: 'b' }] }],
    ['supervise.report', { worker: 'a', summary: SECRET, text: `# ${SECRET}`, metrics: { pages: 12_345 } }],
    ['supervise.fail', { worker: 'b', reason: SECRET }],
  ]
  for (const [name, input] of asked)
    expect(await session.run(name, input, { reason: SECRET }), name).toMatchObject({ kind: 'accepted' })
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.close()
})

test('D4 facts that a shell hands in', async () => {
  const { dir, session, workspace } = await opened()
  await session.close()
  await workspace.close()
  const spool = path.join(dir, '.steadfold', 'spool')
  fs.mkdirSync(spool, { recursive: true })
  const fact = `steadfold-fact 1\nsession: \nactor: tool:shell\nop: output.set\nname: note\n\nuse ${SECRET}\n#end\n`
  fs.writeFileSync(path.join(spool, '1.fact'), fact)
  const again = await openWorkspace({ dir })
  const one = await again.session('one')
  expect(one.get("$.outputs['note'].value") ?? JSON.stringify(one.get('$.outputs'))).toContain(OUT)
  // The file that the shell wrote is put aside for ten minutes.
  const files = filesWith(dir, SECRET).map((file) => path.relative(dir, file))
  expect(files).toEqual([path.join('.steadfold', 'spool', 'taken', '1.fact')])
  await again.close()
})

test('D4 step output, its outputs and the text of its error', async () => {
  const { dir, session, workspace } = await opened()
  const runner = await openRunner(workspace)
  const [head, tail] = [SECRET.slice(0, 9), SECRET.slice(9)]
  const script = `T=${head}; T="\${T}${tail}"; echo "$T"; echo "note=$T" >> "$STEADFOLD_OUTPUT"; echo "no $T" >&2; exit $1`
  for (const exit of ['0', '3']) await runner.once({ session, key: `k${exit}`, argv: ['sh', '-c', script, 'sh', exit] })
  expect(JSON.stringify(session.stored)).toContain(`"note":"${OUT}"`)
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 5 })
  expect(filesWith(dir, SECRET)).toEqual([])
  await workspace.close()
})

test('D4 blobs; what was taken out of them is counted by the next commit', async () => {
  const { dir, session, workspace } = await opened()
  const kept = await keepBlob(workspace.kernel, session.id, Buffer.from(`log: ${SECRET}`))
  expect(kept?.bytes).toBe(`log: ${OUT}`.length)
  expect(filesWith(dir, SECRET)).toEqual([])
  await session.run('state.set', { path: '$.data.a', value: 1 })
  await session.run('state.set', { path: '$.data.a', value: 2 })
  expect(session.get('$.session.redactions')).toEqual({ 'github-token': 1 })
  await workspace.close()
})

test('D6 names of config.json; turned off, nothing is taken out', async () => {
  const named = await opened({ redaction: { names: ['pin'] } })
  await named.session.run('state.set', { path: '$.data.pin', value: 'four words of mine' })
  expect(named.session.get('$.data.pin')).toBe('[redacted:named-secret]')
  const off = await opened({ redaction: { enabled: false } })
  await off.session.run('state.set', { path: '$.data.a', value: SECRET })
  expect(off.session.get('$.data.a')).toBe(SECRET)
  for (const { workspace } of [named, off]) await workspace.close()
})

const NAMED = '[redacted:named-secret]'

test('D6 numbers and lists by their name, set, patched and moved there', async () => {
  const { dir, session } = await opened({ redaction: { names: ['pin'] } })
  const set = (where: string, value: unknown) => session.run('state.set', { path: where, value })
  await set('data.password', 12_345_678)
  await set('data.api_key', 998_877_665_544)
  await set('data.user', { password: ['hunter2xyz'], pin: 1234, age: 1234 })
  await set('$.data.user.password[1]', 'hunter3xyz')
  await set('data.old', 55_667_788)
  const patch = [
    { op: 'move', from: '/data/old', path: '/data/access_token' },
    { op: 'add', path: '/data/user/password/-', value: 'hunter4xyz' },
    { op: 'add', path: '/data/rules', value: { password: { min_length: 1200, rotate: true } } },
  ]
  expect(await session.run('state.patch', { patch })).toMatchObject({ kind: 'accepted' })
  expect(session.get('$.data')).toEqual({
    password: NAMED,
    api_key: NAMED,
    user: { password: [NAMED, NAMED, NAMED], pin: NAMED, age: 1234 },
    access_token: NAMED,
    rules: { password: { min_length: 1200, rotate: true } },
  })
  for (const secret of ['12345678', '998877665544', 'hunter']) expect(filesWith(dir, secret)).toEqual([])
  await session.close()
})

test('D6 where an operation wants a number it is refused, and nothing is written', async () => {
  const { session } = await opened({ redaction: { names: ['ttl-ms'] } })
  const { seq } = session
  const taken = await session.run('lock.acquire', { resource: 'a', ttl_ms: 5000 })
  expect(taken).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  await session.run('supervise.start', { kind: 'research', workers: [{ id: 'a' }] })
  const before = JSON.stringify(session.stored)
  // Its input is completed before it is decided.
  const report = { worker: 'a', summary: 'done', metrics: { api_key: 998_877_665_544 } }
  expect(await session.run('supervise.report', report)).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(JSON.stringify(session.stored)).toBe(before)
  expect(seq).toBeLessThan(session.seq)
  await session.close()
})

test('D7 with a name that the program has for numbers, too, work goes on as it did', async () => {
  const { session } = await opened({ redaction: { names: ['token', 'expires', 'attempts'] } })
  const run = async (name: string, input: object) => {
    // Of a commit that loses something the events are cleaned, too.
    const answer = await session.run(name, input, { reason: SECRET })
    expect(answer, JSON.stringify(answer)).toMatchObject({ kind: 'accepted' })
    return (answer.kind === 'accepted' ? answer.value : undefined) as { readonly token: number }
  }
  const { token } = await run('lock.acquire', { resource: 'a' })
  await run('lock.release', { resource: 'a', token })
  await run('task.add', { id: 'task-1', title: 'a' })
  const claim = await run('task.claim', { task: 'task-1' })
  await run('state.set', { path: 'data.token', value: 12_345_678 })
  const { seq } = session
  const paths = ['$.execution.task_index.held', "$.execution.tasks['task-1'].claim.expires"]
  const [held, expires] = paths.map((each) => getAt(session.stored, parsePath(each)))
  expect(held).toEqual({ 'human:local': { 'task-1': claim.token } })
  await run('task.done', { task: 'task-1', token: claim.token })
  const back = await session.run('session.restore', { to: String(seq) }, { reason: SECRET })
  const changes = JSON.stringify(back.kind === 'accepted' ? back.events[0]?.data : undefined)
  expect(changes).toContain(JSON.stringify(held).slice('{"human:local":'.length, -1))
  expect(changes).toContain(`"expires":${String(expires)}`)
  expect(session.get('$.data')).toEqual({ token: NAMED })
  await session.close()
})

test('D4 a fork, and a state folded anew, say the same', async () => {
  const { dir, session, workspace } = await opened()
  await session.run('state.set', { path: '$.data.a', value: SECRET })
  const before = JSON.stringify(session.stored)
  await workspace.close()
  const again = await openWorkspace({ dir })
  expect(JSON.stringify((await again.session('one')).stored)).toBe(before)
  await again.close()
})

test.each([
  ['lock.acquire', { resource: SECRET }],
  ['channel.create', { channel: SECRET }],
  ['session.mark', { name: SECRET }],
  ['chat.open', { id: SECRET }],
  ['message.send', { to: [SECRET], payload: 'a' }],
])('%s takes no name that holds a secret: two of them would be one', async (operation, input) => {
  const { dir, session } = await opened()
  const message = expect.stringContaining(': it holds a secret (github-token)') as string
  expect(await session.run(operation, input)).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID', message })
  const again = JSON.parse(JSON.stringify(input).replaceAll(SECRET, OUT)) as object
  expect(await session.run(operation, again)).toMatchObject({ kind: 'refused', code: 'INPUT_INVALID' })
  expect(filesWith(dir, SECRET)).toEqual([])
})
