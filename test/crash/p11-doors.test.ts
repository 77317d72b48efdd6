import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { History } from './rig/history.ts'
import { patience, scratch, subject } from './rig/plan.ts'
import { runProgram, startWriter } from './rig/processes.ts'

const hostile = [
  '../out',
  '..',
  '.',
  '',
  '/etc/steadfold',
  'a/b',
  'a\\b',
  'a/../../out',
  '../../outside/in',
  'a\0b',
  '.hidden',
  '-rf',
  'a\nb',
  '~',
  '$(touch pwned)',
  '*',
  '__proto__',
  'constructor',
  '\ud800',
  '%2e%2e%2fout',
  '..%2fout',
  'x'.repeat(300),
  'CON',
  'a:b',
  '\u202etxt',
]

interface Scene {
  /** Holds everything of the scene. */
  readonly top: string
  readonly dir: string
  readonly outside: string
}

function makeScene(name: string): Scene {
  const top = scratch(name)
  const scene = { top, dir: path.join(top, 'in', 'store'), outside: path.join(top, 'outside') }
  for (const folder of [scene.dir, scene.outside]) mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(scene.outside, 'canary'), 'sings')
  return scene
}

/** Names, kinds, modes and contents below a folder; links are not followed. */
function snapshot(folder: string, skip = ''): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()
    .filter((name) => skip === '' || !path.join(folder, name).startsWith(skip))
    .map((name) => {
      const stat = lstatSync(path.join(folder, name))
      return `${name} ${stat.mode.toString(8)} ${stat.isFile() ? readFileSync(path.join(folder, name), 'latin1') : ''}`
    })
}

/** What is wrong after knocking with every hostile name: crashes, and whatever lies outside the store's folder. */
function knock(store: string, scene: Scene): readonly string[] {
  const before = snapshot(scene.top, scene.dir)
  const { stdout, stderr, status } = runProgram('doors', store, { DIR: scene.dir, NAMES: JSON.stringify(hostile) })
  // doors.mjs writes these lines.
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { name: string; outcome: string; code: string })
  const after = snapshot(scene.top, scene.dir)
  return [
    ...(status === 0 && answers.length === hostile.length ? [] : [`ended with ${status}: ${stderr.slice(0, 300)}`]),
    ...answers
      .filter(({ outcome }) => outcome === 'crashed')
      .map(({ name, code }) => `${JSON.stringify(name)}: ${code}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `outside: ${line.slice(0, 100)}`),
    ...(existsSync('/etc/steadfold') ? ['outside: far away'] : []),
  ]
}

test(
  'hostile session ids are refused with a code or stay inside the workspace (P11)',
  () => {
    expect(knock(subject, makeScene('doors'))).toEqual([])
  },
  patience(30, 30),
)

test(
  'a store that joins any name to its path is caught',
  () => {
    expect(knock('loose-doors', makeScene('doors-bad')).join()).toContain('outside: ')
  },
  patience(30, 30),
)

const openHanded = ['sh', '-c', 'umask 0; exec "$0" "$@"']

/** Modes that let others in, below the store's own folder. */
async function looseModes(store: string, own: string): Promise<readonly string[]> {
  const { dir } = makeScene('modes')
  const env = { COUNT: '40', SIZE: '600' }
  const { code, stderr } = await startWriter({ store, dir, id: 'w', history: new History(), env, wrap: openHanded })
    .ended
  expect([code, stderr]).toEqual([0, ''])
  const root = path.join(dir, own)
  const names = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]
  return names.flatMap((name) => {
    const { mode } = statSync(path.join(root, name))
    return (mode & 0o077) === 0 ? [] : [`${path.join(own, name)} ${(mode & 0o777).toString(8)}`]
  })
}

test(
  'folders are 0700 and files 0600 under umask 000 (P11)',
  async () => {
    expect(await looseModes(subject, subject === 'product' ? '.steadfold' : 'crash')).toEqual([])
    expect((await looseModes('loose-doors', 'crash')).length).toBeGreaterThan(0)
  },
  patience(30, 30),
)

/** Places below a store that a link may be planted at; `<id>` and `<segment>` stand for its session and last segment. */
const places = [
  '.steadfold',
  '.steadfold/sessions',
  '.steadfold/sessions/<id>',
  '.steadfold/sessions/<id>/log',
  '.steadfold/sessions/<id>/log/<segment>',
  '.steadfold/sessions/<id>/checkpoint.json',
  '.steadfold/sessions/<id>/turn',
  '.steadfold/sessions/<id>/blobs',
  '.steadfold/spool',
  '.steadfold/config.json',
]

function resolvePlace(dir: string, place: string): string {
  const sessions = path.join(dir, '.steadfold', 'sessions')
  const id = readdirSync(sessions)[0] ?? ''
  const segment =
    readdirSync(path.join(sessions, id, 'log'))
      .toSorted()
      .at(-1) ?? ''
  return path.join(dir, place.replace('<id>', id).replace('<segment>', segment))
}

interface Write {
  readonly changed: boolean
  readonly acked: number
  readonly end: string
}

/** Puts a link at `target`, to its own content moved outside or to a name that does not exist, and lets writers at it. */
async function writeThrough(store: string, { dir, outside }: Scene, target: string, dangling: boolean): Promise<Write> {
  const elsewhere = path.join(outside, dangling ? 'nothing-here' : 'moved')
  if (existsSync(target)) renameSync(target, dangling ? `${outside}-kept` : elsewhere)
  symlinkSync(elsewhere, target)
  const before = snapshot(outside).join()
  const history = new History()
  const writers = ['x', 'y'].map((id) => startWriter({ store, dir, id, history, env: { COUNT: '6', SIZE: '600' } }))
  const ends = await Promise.all(writers.map((writer) => writer.ended))
  const codes = [...new Set(history.refused.values())].join()
  return {
    changed: snapshot(outside).join() !== before,
    acked: history.acked.size,
    end: `${ends[0]?.code} ${codes} ${ends[0]?.stderr.slice(0, 200)}`,
  }
}

/** A store to plant links into; made once, copied for each. */
const bases = new Map<string, Promise<string>>()

async function makeBase(store: string): Promise<string> {
  const { dir } = makeScene('links-base')
  await startWriter({ store, dir, id: 'first', history: new History(), env: { COUNT: '30', SIZE: '600' } }).ended
  return dir
}

async function plant(store: string, place: string, dangling: boolean): Promise<Write> {
  const base = bases.get(store) ?? makeBase(store)
  bases.set(store, base)
  const scene = makeScene('links')
  cpSync(await base, scene.dir, { recursive: true })
  const target = store === 'product' ? resolvePlace(scene.dir, place) : path.join(scene.dir, place)
  return writeThrough(store, scene, target, dangling)
}

test.skipIf(subject !== 'product').each(places)(
  'a link planted at %s is refused or replaced, never written through (P11)',
  async (place) => {
    for (const dangling of [false, true]) {
      const { changed, acked, end } = await plant('product', place, dangling)
      expect({ changed, dangling }).toEqual({ changed: false, dangling })
      // Either the writers go on without the link, or they are told, with a code of ours.
      if (acked === 0) expect(end).toMatch(/WORKSPACE_UNSAFE/)
    }
  },
  patience(40, 60),
)

test(
  'a store that follows links is caught',
  async () => {
    expect((await plant('loose-doors', 'crash/log.jsonl', false)).changed).toBe(true)
  },
  patience(20, 20),
)
