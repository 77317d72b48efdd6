/*
 * What lies in a file, shown and never changed.
 *
 * F3. A bundle, the folder of a session, a folder with sessions and a log show the same state.
 * F4. Every write is refused, and the file stays as it is.
 * F5. Nothing is left behind when it was looked at.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { openVault } from '../../src/compose/vault.ts'
import { serveFile } from '../../src/serve.ts'
import { plainEnv, PROGRAM } from '../cli/binary.ts'

const WISHES = { passphraseFile: undefined, from: undefined, maxBytes: undefined }
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'file-'))
const [bundle, secret, home] = ['one.steadfold', 'secret', 'home'].map((name) => path.join(dir, name)) as [
  string,
  string,
  string,
]
const views = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('steadfold-view-'))
let id = ''
let log = ''

beforeAll(async () => {
  process.env['STEADFOLD_HOME'] = home
  const workspace = await openWorkspace({ dir })
  const session = await workspace.createSession({ name: 'one', goal: 'to be shown' })
  await session.state.set({ path: 'data.topic', value: 'auth' })
  id = session.id
  log = path.join(dir, '.steadfold', 'sessions', id, 'log', '00000000000000000001.jsonl')
  fs.writeFileSync(secret, 'correct horse battery\n')
  const vault = openVault(dir)
  await vault.keys.create('sam')
  const rest = { force: false, recipients: [], key: undefined, patch: false, transcripts: [] }
  await vault.pack(workspace, session, dir, { file: bundle, passphraseFile: secret, ...rest })
  await workspace.close()
})
afterAll(() => {
  delete process.env['STEADFOLD_HOME']
  fs.rmSync(dir, { recursive: true })
})

const FILES = [
  ['a bundle', () => bundle],
  ['the folder of a session', () => path.dirname(path.dirname(log))],
  ['a folder with sessions', () => dir],
  ['a log', () => log],
] as const

const WRITES = [
  ['/sessions/one/state.set', { path: 'data.x', value: 1 }],
  ['/sessions/one/session.fork', { name: 'two' }],
  ['/sessions', { name: 'two' }],
] as const

describe('a file that is looked at', () => {
  test.each(FILES)('F3 F4 F5 %s', async (_what, file) => {
    const [before, bytes] = [views(), fs.readFileSync(log)]
    const daemon = await serveFile(file(), { ...WISHES, passphraseFile: secret })
    const ask = await asker(daemon)
    expect(await ask('GET', '')).toMatchObject({ data: { source: file() } })
    expect(await ask('GET', '/sessions/one/state?path=data.topic')).toMatchObject({ data: { value: 'auth', seq: 2 } })
    for (const [target, input] of WRITES)
      expect(await ask('POST', target, input)).toMatchObject({
        error: { code: 'READ_ONLY' },
      })
    await daemon.close()
    await daemon.ended
    expect([views(), fs.readFileSync(log)]).toEqual([before, bytes])
  })

  test('F3 what a power cut took of the log, and a redo file holds, is shown, too', async () => {
    const own = path.join(dir, 'cut', id)
    fs.cpSync(path.dirname(path.dirname(log)), own, { recursive: true })
    const bytes = fs.readFileSync(log)
    const [file, end] = [path.join(own, 'log', path.basename(log)), bytes.indexOf('\n') + 1]
    fs.truncateSync(file, end)
    fs.mkdirSync(path.join(own, 'redo'))
    const rest = bytes.subarray(end)
    const record = Buffer.concat([Buffer.from(`redo 1 1 ${end} ${rest.length}\n`), rest])
    fs.writeFileSync(path.join(own, 'redo', '0123456789abcdef.redo'), record)
    const daemon = await serveFile(own, WISHES)
    const ask = await asker(daemon)
    expect(await ask('GET', '/sessions/one/state?path=data.topic')).toMatchObject({ data: { value: 'auth', seq: 2 } })
    await daemon.close()
    await daemon.ended
    expect(fs.statSync(file).size).toBe(end)
    fs.rmSync(own, { recursive: true })
  })

  test('F5 a terminal that is hung up leaves nothing of it either', async () => {
    const own = fs.mkdtempSync(path.join(os.tmpdir(), 'file-'))
    const env = plainEnv({ TMPDIR: own })
    const child = spawn(process.execPath, [PROGRAM, 'ui', '--no-open', '--file', log], { env })
    await once(child.stdout, 'data')
    const during = fs.readdirSync(own)
    child.kill('SIGHUP')
    expect(await once(child, 'exit')).toEqual([null, 'SIGHUP'])
    expect([during.length, fs.readdirSync(own)]).toEqual([1, []])
    fs.rmSync(own, { recursive: true })
  })

  test('a session whose time is over is listed as the inbox has it, though nobody can say so in the log', async () => {
    const own = fs.mkdtempSync(path.join(os.tmpdir(), 'file-'))
    const workspace = await openWorkspace({ dir: own })
    const session = await workspace.createSession({ name: 'late' })
    await session.run('session.extend', { hours: 1e-7 })
    await workspace.close()
    const daemon = await serveFile(own, WISHES)
    const ask = await asker(daemon)
    expect(await ask('GET', '/sessions')).toMatchObject({ data: [{ name: 'late', status: 'terminating' }] })
    await daemon.close()
    await daemon.ended
    fs.rmSync(own, { recursive: true })
  })

  test.each([
    ['nothing', 'absent', 'FILE_NOT_FOUND'],
    ['a folder without sessions', 'home', 'FILE_NOT_FOUND'],
    ['a text', 'secret', 'BUNDLE_INVALID'],
  ])('F5 %s is refused, and leaves nothing', async (_what, name, code) => {
    const before = views()
    await expect(serveFile(path.join(dir, name), WISHES)).rejects.toMatchObject({ code })
    expect(views()).toEqual(before)
  })
})

type Daemon = Awaited<ReturnType<typeof serveFile>>

async function asker(daemon: Daemon) {
  const token = new URL(daemon.link()).hash.slice('#token='.length)
  const headers = { 'Content-Type': 'application/json', Origin: daemon.url }
  const login = await fetch(`${daemon.url}/v1/login`, { method: 'POST', headers, body: JSON.stringify({ token }) })
  const Cookie = login.headers.get('Set-Cookie')?.split(';')[0] ?? ''
  return async (method: string, target: string, body?: object): Promise<unknown> => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return (await fetch(`${daemon.url}/v1${target}`, { method, headers: { ...headers, Cookie }, ...text })).json()
  }
}
