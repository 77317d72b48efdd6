/* A place in git, and the copy of it that lies beside the sessions. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { OpenSession } from '../../src/compose.ts'
import { gitDepot } from '../../src/drivers/vault/git-depot.ts'
import { Places } from '../../src/drivers/vault/places.ts'
import { failure, pair, scratch, type Side } from './rig.ts'

const root = scratch()
let a: Side
let places: Places
let session: OpenSession
let copy = ''

beforeAll(async () => {
  execFileSync('git', ['init', '--quiet', '--bare', path.join(root, 'place.git')])
  ;[a] = await pair(root)
  places = new Places(a.vault, a.workspace, { dir: a.dir, env: {} })
  places.add('origin', 'git:../place.git', ['b'])
  copy = path.join(a.dir, '.steadfold/remote-origin.git')
  session = await a.workspace.createSession({ name: 'kept' })
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

async function pushed(): Promise<number> {
  await session.run('state.set', { path: '$.data.seq', value: session.seq })
  return (await places.push(undefined, session, undefined)).seq
}

test('a path of a place is told from the folder of the project, wherever somebody stands', async () => {
  expect(await pushed()).toBe(session.seq)
})

test.each([
  ['half of the copy', () => fs.rmSync(path.join(copy, 'HEAD'))],
  ['a lock', () => fs.writeFileSync(path.join(copy, 'refs/steadfold', `${session.id}.lock`), '')],
  ['a lock of what is packed', () => fs.writeFileSync(path.join(copy, 'packed-refs.lock'), '')],
  ['an empty folder', () => fs.rmSync(copy, { recursive: true }) ?? fs.mkdirSync(copy)],
])('what a killed git left behind stops nobody: %s', async (_what, leave) => {
  leave()
  expect(await pushed()).toBe(session.seq)
  expect(fs.readdirSync(path.dirname(copy)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('what git tells a hook of its repository is not taken for the place', async () => {
  const dir = path.join(root, 'hooked')
  execFileSync('git', ['init', '--quiet', dir])
  fs.rmSync(copy, { recursive: true })
  vi.stubEnv('GIT_DIR', path.join(dir, '.git'))
  vi.stubEnv('GIT_WORK_TREE', dir)
  vi.stubEnv('GIT_OBJECT_DIRECTORY', path.join(dir, '.git/objects'))
  expect(await pushed().finally(() => vi.unstubAllEnvs())).toBe(session.seq)
  expect(execFileSync('git', ['-C', dir, 'count-objects'], { encoding: 'utf8' })).toMatch(/^0 objects/)
})

test('of several here who copy it anew one is faster, and none is stopped', async () => {
  const { rmSync, renameSync } = fs
  fs.rmSync = (file, options) => {
    // As where another git writes there meanwhile.
    if (file === copy) throw Object.assign(new Error('not empty'), { code: 'ENOTEMPTY' })
    rmSync(file, options)
  }
  fs.renameSync = (from, to) => {
    if (to === copy && !fs.existsSync(copy)) fs.cpSync(from as string, copy, { recursive: true })
    renameSync(from, to)
  }
  syncBuiltinESMExports()
  try {
    fs.writeFileSync(path.join(copy, 'HEAD'), '')
    expect(await pushed()).toBe(session.seq)
  } finally {
    Object.assign(fs, { rmSync, renameSync })
    syncBuiltinESMExports()
  }
  expect(fs.readdirSync(path.dirname(copy)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

/** As a power cut leaves them: git names objects before they are on the disk. */
function emptyObjects(): number {
  const inCopy = (...args: string[]) => execFileSync('git', ['--git-dir', copy, ...args], { encoding: 'utf8' })
  const names = inCopy('cat-file', '--batch-all-objects', '--batch-check').trim().split('\n')
  const files = names.flatMap((line) => {
    const [hash = '', type] = line.split(' ')
    const file = path.join(copy, 'objects', hash.slice(0, 2), hash.slice(2))
    return type === 'blob' && fs.existsSync(file) ? [file] : []
  })
  for (const file of files) {
    fs.chmodSync(file, 0o600)
    fs.writeFileSync(file, '')
  }
  return files.length
}

test('what cannot be read in the copy is fetched anew, and not taken for what is not there', async () => {
  await pushed()
  expect(emptyObjects()).toBeGreaterThan(0)
  const depot = gitDepot(path.join(root, 'place.git'), copy)
  const names = await depot.list(`sessions/${session.id}/`)
  expect(names.length).toBeGreaterThan(1)
  const found = await Promise.all(names.map((name) => depot.get(name)))
  expect(found.map((bytes) => bytes?.length ?? 0)).not.toContain(0)
  expect(await depot.get(`sessions/${session.id}/none`)).toBeUndefined()
  emptyObjects()
  expect(await pushed()).toBe(session.seq)
})

test('what a push needs for a while lies where gc looks, should it be killed', async () => {
  const [hook, seen] = [path.join(copy, 'hooks/pre-push'), path.join(root, 'seen')]
  fs.mkdirSync(path.dirname(hook), { recursive: true })
  fs.writeFileSync(hook, `#!/bin/sh\ncd '${path.dirname(copy)}' && ls -d .*.tmp */index-* > '${seen}'; true\n`, {
    mode: 0o755,
  })
  expect(await pushed()).toBe(session.seq)
  fs.rmSync(hook)
  expect(fs.readFileSync(seen, 'utf8')).toMatch(/^\.remote-origin\.git\.[0-9a-f]{16}\.tmp\n$/)
})

test('what an address keeps secret is not told, nor noted beside the session', async () => {
  places.add('secret', 'git:https://ana:hunter22@127.0.0.1:1/x.git', ['b'])
  places.add('token', 'git:https://ghp_token@127.0.0.1:1/x.git', ['b'])
  for (const name of ['secret', 'token']) {
    const { message } = await failure(places.push(name, session, undefined))
    expect(message).toMatch(/^git cannot reach https:\/\/127\.0\.0\.1:1\/x\.git: /)
    expect(message).not.toMatch(/hunter22|ghp_token/)
  }
})

test.each([
  [
    'a hook',
    'hook declined',
    (at: string) => fs.writeFileSync(`${at}/hooks/update`, '#!/bin/sh\nexit 1\n', { mode: 0o755 }),
  ],
  [
    'a hook that says why',
    'remote: branches only',
    (at: string) =>
      fs.writeFileSync(`${at}/hooks/pre-receive`, '#!/bin/sh\necho; echo branches only; exit 1\n', { mode: 0o755 }),
  ],
  [
    'a setting',
    'deny updating a hidden ref',
    (at: string) => execFileSync('git', ['-C', at, 'config', 'transfer.hideRefs', 'refs/steadfold']),
  ],
])('who is refused at a place is told why: by %s', async (what, why, refuse) => {
  const url = path.join(root, `${what}.git`)
  execFileSync('git', ['init', '--quiet', '--bare', url])
  refuse(url)
  const name = what.replaceAll(' ', '-')
  places.add(name, `git:${url}`, ['b'])
  const { code, message, hint } = await failure(places.push(name, session, undefined))
  expect([code, message.startsWith(`a rule refuses what git puts at ${url}: `)]).toEqual(['STORE_UNAVAILABLE', true])
  expect([message, hint]).toEqual([expect.stringContaining(why), expect.stringContaining('refs/steadfold/')])
})

test.each([
  ['https://example.org/app.git', 'git:https://example.org/app.git'],
  ['git@example.org:me/app.git', 'git:git@example.org:me/app.git'],
  ['ssh://git@example.org/app.git', 'git:ssh://git@example.org/app.git'],
  ['git:', 'git:URL'],
  ['s3:', 's3://BUCKET/PREFIX'],
  ['s3://', 's3://BUCKET/PREFIX'],
])('an address that is no place is refused where it is named, with what it could be: %s', (url, hint) => {
  const add = () => places.add('wrong', url, null)
  expect(add).toThrow(
    expect.objectContaining({ code: 'INPUT_INVALID', hint: expect.stringContaining(hint) as unknown }),
  )
})

test('a place that cannot be reached leaves the copy as it is', async () => {
  fs.renameSync(path.join(root, 'place.git'), path.join(root, 'gone.git'))
  await session.run('state.set', { path: '$.data.gone', value: true })
  expect((await failure(places.push('origin', session, undefined))).code).toBe('STORE_UNAVAILABLE')
  expect(fs.existsSync(path.join(copy, 'HEAD'))).toBe(true)
  expect(fs.readdirSync(path.dirname(copy)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
