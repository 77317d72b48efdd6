/* M4: whatever is refused is refused before a session departs, and what fails behind its departure says so. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Places } from '../../src/drivers/vault/places.ts'
import type { PackWishes } from '../../src/drivers/vault/vault.ts'
import { EngineError } from '../../src/kernel/error.ts'
import { failure, PACK, pair, scratch, type Side } from './rig.ts'

const root = scratch()
const out = path.join(root, 'out')
const moving = { to: undefined, actor: 'human:test' }
let a: Side

beforeAll(async () => {
  ;[a] = await pair(root)
  for (const folder of ['folder', 'one', 'two']) fs.mkdirSync(path.join(out, folder), { recursive: true })
  for (const name of ['one/said.txt', 'two/said.txt', '...', 'plain']) fs.writeFileSync(path.join(out, name), 'said\n')
  fs.symlinkSync('nowhere', path.join(out, 'link'))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', a.dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])

function withSecret(): void {
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '-m', 'base')
  fs.writeFileSync(path.join(a.dir, 'env.txt'), 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n')
}

const transcripts = (...names: readonly string[]) => ({ transcripts: names.map((name) => path.join(out, name)) })
const at = (...names: readonly string[]) => ({ file: path.join(out, ...names) })

interface Case {
  readonly what: string
  readonly code: string
  readonly wishes: Partial<PackWishes>
  readonly before?: () => void
}

const cases: readonly Case[] = [
  { what: 'a patch outside of git', code: 'INPUT_INVALID', wishes: { patch: true } },
  { what: 'a patch with a secret', code: 'INPUT_INVALID', wishes: { patch: true }, before: withSecret },
  { what: 'a transcript that is not there', code: 'FILE_NOT_FOUND', wishes: transcripts('nope.txt') },
  { what: 'a transcript that is a folder', code: 'FILE_NOT_FOUND', wishes: transcripts('folder') },
  { what: 'two transcripts of one name', code: 'INPUT_INVALID', wishes: transcripts('one/said.txt', 'two/said.txt') },
  { what: 'a transcript without a name that can be kept', code: 'INPUT_INVALID', wishes: transcripts('...') },
  { what: 'a folder on the way that is not there', code: 'FILE_NOT_FOUND', wishes: at('nope', 'x.steadfold') },
  { what: 'a file on the way', code: 'FILE_NOT_FOUND', wishes: at('plain', 'x.steadfold') },
  { what: 'a name that is too long', code: 'INPUT_INVALID', wishes: at('x'.repeat(300)) },
  { what: 'a file that is there', code: 'NAME_TAKEN', wishes: at('plain') },
  { what: 'a link to nowhere', code: 'NAME_TAKEN', wishes: at('link') },
  { what: 'a folder', code: 'INPUT_INVALID', wishes: at('folder') },
  { what: 'a folder by force', code: 'INPUT_INVALID', wishes: { ...at('folder'), force: true } },
  { what: 'a recipient with a wrong letter', code: 'INPUT_INVALID', wishes: { recipients: [`age1${'q'.repeat(58)}`] } },
]

test.each(cases)('M4 $what: refused before the session departs', async ({ what, code, wishes, before }) => {
  before?.()
  const session = await a.workspace.createSession({ name: `of ${what}` })
  const { seq } = session
  const there = fs.readdirSync(out)
  const packing = { ...PACK, ...at('bundle'), ...wishes }
  const refused = await failure(a.vault.send(a.workspace, session, a.dir, { ...packing, ...moving }))
  expect([refused.code, refused.hint === undefined]).toEqual([code, false])
  expect([session.seq, session.get('$.session.transport.departed')]).toEqual([seq, null])
  expect(fs.readdirSync(out)).toEqual(there)
  expect((await failure(a.vault.pack(a.workspace, session, a.dir, packing))).code).toBe(code)
  expect(fs.readdirSync(out)).toEqual(there)
  await session.close()
})

test('of recipients and a passphrase one is to be left out', async () => {
  const session = await a.workspace.createSession({ name: 'both' })
  const packing = { ...PACK, ...at('bundle'), passphraseFile: path.join(out, 'plain') }
  expect((await failure(a.vault.pack(a.workspace, session, a.dir, packing))).message).toMatch(/not with both$/)
})

test('M4 a blob that is damaged is found before the session departs', async () => {
  const session = await a.workspace.createSession({ name: 'blob' })
  const hash = await a.workspace.kernel.log.blobs?.put(session.id, Buffer.from('a large value'))
  await session.run('state.set', { path: '$.data.kept', value: hash })
  const folder = path.join(a.dir, '.steadfold/sessions', session.id)
  const [blob = ''] = (fs.readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    name.endsWith(hash ?? ''),
  )
  fs.chmodSync(path.join(folder, blob), 0o600)
  fs.writeFileSync(path.join(folder, blob), 'another value')
  const refused = await failure(a.vault.send(a.workspace, session, a.dir, { ...PACK, ...moving, ...at('bundle') }))
  expect([refused.code, session.get('$.session.transport.departed')]).toEqual(['BLOB_CORRUPT', null])
})

test('M4 a session that departed before says so when it is refused', async () => {
  const session = await a.workspace.createSession({ name: 'gone before' })
  await a.vault.send(a.workspace, session, a.dir, { ...PACK, ...moving, ...at('sent') })
  const refused = await failure(a.vault.send(a.workspace, session, a.dir, { ...PACK, ...moving, ...at('sent') }))
  expect(refused).toMatchObject({ code: 'NAME_TAKEN', message: expect.stringContaining('has departed') })
  expect(refused.hint).toContain("steadfold teleport cancel 'gone before'")
})

test('M4 a place that fails behind the departure is told with the way back', async () => {
  const url = path.join(root, 'place')
  fs.mkdirSync(url)
  const places = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  places.add('origin', url, ['b'])
  const session = await a.workspace.createSession({ name: 'over' })
  const gone = new EngineError('STORE_UNAVAILABLE', 'the place is gone', { hint: 'is it mounted?' })
  const push = vi.spyOn(places, 'push')
  push.mockRejectedValueOnce(gone)
  expect(await failure(places.send(undefined, session, { ...moving, key: undefined }))).toBe(gone)
  const real = Places.prototype.push.bind(places)
  push.mockImplementationOnce(real).mockRejectedValueOnce(gone)
  const failed = await failure(places.send(undefined, session, { ...moving, key: undefined }))
  expect(failed).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'the place is gone; session over has departed',
    hint: 'is it mounted? Then send it again, or take it back: steadfold teleport cancel over',
  })
  push.mockRestore()
  expect(await places.cancel(session, 'human:test')).toBe(2)
  expect((await session.run('state.set', { path: '$.data.x', value: 1 })).kind).toBe('accepted')
})
