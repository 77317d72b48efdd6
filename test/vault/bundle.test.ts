import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { failure, OPEN, PACK, packed, pair, scratch, type Side } from './rig.ts'

const AGE = '/usr/bin/age'
const hasAge = existsSync(AGE)
if (!hasAge && process.env['CI'] !== undefined) throw new Error(`${AGE} is missing: apt-get install age`)
if (!hasAge) console.warn(`SKIPPED: whether age opens our bundles and we open its: ${AGE} is missing`)

const root = scratch()
let a: Side
let b: Side

beforeAll(async () => {
  ;[a, b] = await pair(root)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function code(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'done',
    (each: unknown) => each,
  )
  return error instanceof EngineError ? error.code : String(error)
}

test.skipIf(!hasAge)('age opens what we sealed, and what it holds is the log', async () => {
  const file = await packed(a, root, 'ours')
  const identity = path.join(root, 'identity')
  writeFileSync(identity, `${b.key.identity}\n`, { mode: 0o600 })
  const inner = execFileSync(AGE, ['--decrypt', '--identity', identity, file])
  const [head, length = '0'] = inner.toString('latin1', 0, 40).split('\n')
  expect(head).toBe('steadfold-bundle 1')
  const behind = inner.indexOf('\n', 19 + length.length + 1 + Number(length) + 1) + 1
  expect(gunzipSync(inner.subarray(behind)).toString('utf8')).toContain('"op":"session.create"')
})

test.skipIf(!hasAge)('we open what age sealed', async () => {
  const file = await packed(a, root, 'theirs')
  const identity = path.join(root, 'identity')
  writeFileSync(identity, `${b.key.identity}\n`, { mode: 0o600 })
  const inner = execFileSync(AGE, ['--decrypt', '--identity', identity, file])
  const again = path.join(root, 'again')
  execFileSync(AGE, ['--encrypt', '--recipient', b.key.recipient, '--output', again], { input: inner })
  expect((await b.vault.verify(again, OPEN)).signed_by).toBe('a')
})

test('a bundle for several is opened by each of them, and by nobody else', async () => {
  const session = await a.workspace.createSession({ name: 'several' })
  const file = path.join(root, 'several')
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, recipients: ['a', 'b'], file })
  for (const side of [a, b]) expect((await side.vault.verify(file, OPEN)).manifest.session.name).toBe('several')
  const onlyA = path.join(root, 'only-a')
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, recipients: ['a'], file: onlyA })
  expect(await code(b.vault.verify(onlyA, OPEN))).toBe('BUNDLE_SEALED')
})

test('a passphrase opens what it sealed, and another does not', async () => {
  const session = await a.workspace.createSession({ name: 'spoken' })
  const [right, wrong, file] = ['right', 'wrong', 'spoken'].map((name) => path.join(root, name))
  if (right === undefined || wrong === undefined || file === undefined) return
  writeFileSync(right, 'four random words here\n')
  writeFileSync(wrong, 'four other words here\n')
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, recipients: [], passphraseFile: right, file })
  expect(await code(b.vault.verify(file, { ...OPEN, passphraseFile: wrong }))).toBe('BUNDLE_SEALED')
  expect(await code(b.vault.verify(file, { ...OPEN, passphraseFile: right }))).toBe('done')
}, 300_000)

test('blobs that commits name, a patch and transcripts come along', async () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', a.dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  git('init', '--quiet')
  writeFileSync(path.join(a.dir, 'kept.txt'), 'before\n')
  git('add', 'kept.txt')
  git('commit', '--quiet', '-m', 'one')
  writeFileSync(path.join(a.dir, 'kept.txt'), 'after\n')
  writeFileSync(path.join(a.dir, 'new.txt'), 'new\n')
  const notes = path.join(root, 'notes of today.txt')
  const latin1 = Buffer.from('d\u00e9j\u00e0 \u00ff\n', 'latin1')
  writeFileSync(notes, Buffer.concat([Buffer.from('said: token=ghp_0123456789abcdefghijABCDEFGHIJ012345\n'), latin1]))
  const session = await a.workspace.createSession({ name: 'whole' })
  const hash = await a.workspace.kernel.log.blobs?.put(session.id, Buffer.from('a large value'))
  await session.run('state.set', { path: '$.data.kept', value: hash })
  const file = path.join(root, 'whole')
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, patch: true, transcripts: [notes], file })
  const [first, again] = [await b.vault.unpack(b.workspace, file, OPEN), await b.vault.unpack(b.workspace, file, OPEN)]
  expect((await b.workspace.kernel.log.blobs?.get(session.id, hash ?? ''))?.toString()).toBe('a large value')
  const carried = path.join(b.dir, '.steadfold/sessions', session.id, 'carried')
  const lying = ['patch.diff', 'transcripts/notes_of_today.txt'].map((name) => path.join(carried, name))
  expect([first.carried, again.carried]).toEqual([lying, lying])
  const patch = readFileSync(path.join(carried, 'patch.diff'), 'utf8')
  expect(patch).toContain('+after')
  expect(patch).toContain('new.txt')
  expect(patch).not.toContain('.steadfold')
  expect(Object.keys((await b.vault.verify(file, OPEN)).manifest.redactions)).toHaveLength(1)
  const said = readFileSync(path.join(carried, 'transcripts/notes_of_today.txt'))
  expect(said.toString()).toMatch(/^said: token=\[redacted:/)
  expect(said.subarray(-latin1.length)).toEqual(latin1)
})

test('P1 to P3 secrets in a patch are refused, taken out or told, as it was said', async () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', a.dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'base')
  writeFileSync(path.join(a.dir, 'env.txt'), 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n')
  writeFileSync(
    path.join(a.dir, 'id.pem'),
    `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`,
  )
  writeFileSync(path.join(a.dir, 'fine.txt'), 'fine \u00e9\n')
  const session = await a.workspace.createSession({ name: 'secrets' })
  const pack = async (patchSecrets?: 'redact' | 'keep') => {
    const file = path.join(root, `secrets-${patchSecrets ?? ''}`)
    return a.vault.pack(a.workspace, session, a.dir, { ...PACK, patch: true, patchSecrets, file })
  }
  await expect(pack()).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    details: { secrets: { 'github-token': 1, 'private-key': 1 } },
  })
  expect(existsSync(path.join(root, 'secrets-'))).toBe(false)
  const { manifest } = await pack('redact')
  expect([manifest.redactions, manifest.kept_secrets]).toEqual([{ 'github-token': 1, 'private-key': 1 }, undefined])
  expect((await pack('keep')).manifest).toMatchObject({ redactions: {}, kept_secrets: { 'private-key': 1 } })
  await b.vault.unpack(b.workspace, path.join(root, 'secrets-redact'), OPEN)
  const patch = path.join(b.dir, '.steadfold/sessions', session.id, 'carried/patch.diff')
  const text = readFileSync(patch, 'utf8')
  expect([text.includes('ghp_'), text.includes('id.pem'), text.includes('+fine \u00e9')]).toEqual([false, false, true])
  const fresh = path.join(root, 'fresh')
  execFileSync('git', ['init', '--quiet', fresh])
  execFileSync('git', ['-C', fresh, 'apply', '--include=env.txt', '--include=fine.txt', patch])
  expect(readFileSync(path.join(fresh, 'env.txt'), 'utf8')).toBe('TOKEN=[redacted:github-token]\n')
  for (const name of ['env.txt', 'id.pem', 'fine.txt']) rmSync(path.join(a.dir, name))
})

test('M3 a bundle of what went on apart is refused: taken back here, received there', async () => {
  const session = await a.workspace.createSession({ name: 'apart' })
  const file = path.join(root, 'apart')
  const moving = { to: undefined, actor: 'human:test' }
  await a.vault.send(a.workspace, session, a.dir, { ...PACK, ...moving, file })
  await session.run('session.return', { at: a.vault.here(a.workspace, a.dir) })
  await session.run('state.set', { path: '$.data.x', value: 'here' })
  const received = { ...OPEN, root: undefined, actor: 'human:test' }
  const arrival = await b.vault.receive(b.workspace, file, b.dir, received)
  await arrival.session.run('state.set', { path: '$.data.x', value: 'there' })
  const back = path.join(root, 'apart-back')
  await b.vault.send(b.workspace, arrival.session, b.dir, { ...PACK, recipients: ['a'], ...moving, file: back })
  const refused = await failure(a.vault.receive(a.workspace, back, a.dir, received))
  expect([refused.code, refused.hint?.includes('pull')]).toEqual(['DIVERGED', false])
  expect(refused.hint).toContain(`steadfold session end ${session.id} && steadfold session archive ${session.id}`)
  expect(await code(a.vault.receive(a.workspace, file, a.dir, received))).not.toBe('done')
  expect(await session.get('$.data.x')).toBe('here')
  await session.run('session.end', {})
  await a.workspace.archive(session)
  const theirs = await a.vault.receive(a.workspace, back, a.dir, received)
  expect(await theirs.session.get('$.data.x')).toBe('there')
})

test.each([
  ['session.end', 'steadfold session archive ID, and'],
  ['session.depart', 'steadfold teleport cancel ID && steadfold session end ID && steadfold session archive ID, and'],
])('M3 what went on apart is put away by lines that its life allows: after %s', async (op, lines) => {
  const session = await a.workspace.createSession({ name: `apart-by-${op}` })
  const file = path.join(root, op)
  await a.vault.pack(a.workspace, session, a.dir, { ...PACK, file })
  await b.vault.unpack(b.workspace, file, OPEN)
  const theirs = await b.workspace.session(session.id)
  await theirs.run('state.set', { path: '$.data.x', value: 'there' })
  await session.run(op, op === 'session.end' ? {} : { from: a.vault.here(a.workspace, a.dir) })
  await b.vault.pack(b.workspace, theirs, b.dir, { ...PACK, recipients: ['a'], file: `${file}-back` })
  const { code: told, hint } = await failure(a.vault.unpack(a.workspace, `${file}-back`, OPEN))
  expect([told, hint]).toEqual([
    'DIVERGED',
    expect.stringContaining(`take theirs: ${lines.replaceAll('ID', session.id)} then`),
  ])
})

test('of those who take in a session that is new here, one does, and the others find it whole', async () => {
  const file = await packed(a, root, 'at-once')
  const other = await openWorkspace({ dir: b.dir })
  const taken = await Promise.all(
    [b.workspace, other, b.workspace].map((workspace) => b.vault.unpack(workspace, file, OPEN)),
  )
  await other.close()
  expect(taken.map(({ added }) => added).toSorted((x, y) => x - y)).toEqual([0, 0, 4])
})

test('a second recipient of a session that moves is refused before it departs', async () => {
  const session = await a.workspace.createSession({ name: 'twice' })
  const wishes = { ...PACK, recipients: ['a', 'b'], to: undefined, actor: 'human:test', file: path.join(root, 'twice') }
  expect(await code(a.vault.send(a.workspace, session, a.dir, wishes))).toBe('INPUT_INVALID')
  expect(session.get('$.session.transport.departed')).toBeNull()
})
