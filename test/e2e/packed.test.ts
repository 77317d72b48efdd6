import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { remove } from '../remove.ts'
import { newProject, run, typecheck } from './project.ts'

const installed = inject('project')
const manifest = (dir: string) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Record<string, unknown>

describe('the tarball', () => {
  test('needs no other package', () => {
    const names = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(names).toEqual(['steadfold'])
  })

  test('holds the product, its papers and nothing else', () => {
    const known = /^(dist|docs|examples|plugins|schemas)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
    const packed = inject('packed')
    expect(packed.filter((path) => !known.test(path) || /\.test\.|\.stamp|(^|\/)\.steadfold/.test(path))).toEqual([])
    expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/LICENSES.txt', 'dist/steadfold.cjs']))
  })

  test('mentions no folder of the machine it was built on', () => {
    const root = join(import.meta.dirname, '..', '..')
    const dist = join(installed, 'node_modules/steadfold/dist')
    const files = (readdirSync(dist, { recursive: true }) as string[]).filter((name) => /\.(c?js|d\.ts)$/.test(name))
    expect(files.filter((name) => readFileSync(join(dist, name), 'utf8').includes(root))).toEqual([])
  })
})

describe('the binary of the installed package', () => {
  let dir = ''
  beforeAll(() => {
    dir = newProject(installed)
  })
  afterAll(() => {
    remove(dir)
  })

  const steadfold = (...args: readonly string[]) => run(dir, join(dir, 'node_modules/.bin/steadfold'), args)
  const data = (...args: readonly string[]): unknown => {
    const { status, stdout, stderr } = steadfold(...args, '--json')
    expect(status, stderr).toBe(0)
    const answer = JSON.parse(stdout) as { schema: string; data: unknown }
    expect(answer.schema).toMatch(/\/v1$/)
    return answer.data
  }

  test('says the version of its package', () => {
    const { status, stdout } = steadfold('--version')
    expect({ status, stdout: stdout.trim() }).toEqual({
      status: 0,
      stdout: manifest(join(dir, 'node_modules/steadfold'))['version'],
    })
  })

  test('makes a workspace and a session, writes, reads and verifies', () => {
    expect(steadfold('init').status).toBe(0)
    const created = data('session', 'create', 'a') as { session: { id: string } }
    expect(created.session.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(steadfold('state', 'set', '$.data.x', '1').status).toBe(0)
    expect(JSON.stringify(data('state', 'get', '$.data.x'))).toContain('1')
    const log = data('log') as { seq: number; op: string; hash: string }[]
    expect(log.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(log.map((_, index) => index + 1))
    expect(log.map(({ op }) => op)).toContain('state.set')
    expect(data('verify')).toEqual([expect.objectContaining({ seq: log.length, ok: true })])
  })

  test('refuses with the code of the rule, and usage with 64', () => {
    expect(steadfold('state', 'get', '$.data.absent').status).toBe(3)
    expect(steadfold('state', 'set', '$.data.x', '2', '--if-seq', '1').status).toBe(5)
    expect(steadfold('stat').status).toBe(64)
  })

  test('runs a paid step once', () => {
    const effect = ['--', 'sh', '-c', 'echo paid >> effects; echo done']
    expect(steadfold('once', 'k', ...effect)).toMatchObject({ status: 0 })
    expect(steadfold('once', 'k', ...effect)).toMatchObject({ status: 0 })
    expect(readFileSync(join(dir, 'effects'), 'utf8')).toBe('paid\n')
  })

  test('runs a workflow, and a second time only what is new', () => {
    const workflow = `name: two\nstates:\n  work:\n    steps:\n      one:\n        run: echo one >> order; echo "x=1" >> "$STEADFOLD_OUTPUT"\n      two:\n        run: echo two$X >> order\n        needs: [one]\n        reads: { X: one.x }\n  complete: {}\n`
    writeFileSync(join(dir, 'two.yaml'), workflow)
    expect(steadfold('run', 'two.yaml')).toMatchObject({ status: 0 })
    expect(steadfold('run', 'two.yaml')).toMatchObject({ status: 0 })
    expect(readFileSync(join(dir, 'order'), 'utf8')).toBe('one\ntwo1\n')
  })

  test('shows its main job with the examples it ships', { timeout: 120_000 }, () => {
    const { status, stderr } = steadfold('demo', '--input', join(dir, 'node_modules/steadfold/examples'))
    expect(status, stderr).toBe(0)
    expect(readFileSync(join(dir, 'REVIEW.md'), 'utf8')).toMatch(/^# /)
  })

  test('gives shells their functions', () => {
    const file = steadfold('shell').stdout.trim()
    expect(existsSync(file)).toBe(true)
  })
})

/** What the pinned contract of the library promises, used in every way that the types allow. */
const CONSUMER = `
import { openWorkspace, past } from 'steadfold'
import { SteadfoldSessionStore, type SessionStore } from 'steadfold/claude-agent-sdk'
import { SteadfoldConversation } from 'steadfold/openai-agents'
const workspace = await openWorkspace({ dir: process.argv[2] ?? '.', create: undefined, settings: { checkpointBytes: 1000, checkpointMs: 0 } })
const session = await workspace.createSession({ name: 'b', goal: 'to be packed' })
const done = await session.run('state.set', { path: '$.data.topic', value: 'auth' }, { key: 'k', ifSeq: session.seq })
if (done.kind === 'refused') throw new Error(done.code + done.message + (done.hint ?? ''))
const seq: number = done.seq
for (let i = 0; i < 100; i++) await session.run('state.set', { path: '$.data.n', value: i })
await session.state.set({ path: '$.data.sugar', value: true }, { actor: 'agent:somebody' })
const value: unknown = session.get('$.data.topic')
const before: unknown = await session.get('$.data.n', { at: seq })
const found: readonly unknown[] = await session.query('$..topic')
const seqs: number[] = []
const none = undefined
for await (const commit of session.commits({ after: 0, live: false, until: none, signal: none })) seqs.push(commit.seq)
const refused = await session.run('state.set', { path: '$.data.n', value: 0 }, { ifSeq: 1 })
const conversation = new SteadfoldConversation(session, { sessionId: 'c' })
await conversation.addItems([{ role: 'user', content: 'hello'.repeat(2000) }])
const items: number = (await conversation.getItems()).length
const store: SessionStore = new SteadfoldSessionStore(session)
await store.append({ projectKey: 'p', sessionId: 's' }, [{ type: 'user', uuid: 'u' }])
const subkeys: readonly string[] = await store.listSubkeys({ projectKey: 'p', sessionId: 's' })
const same: string = (await workspace.session('b')).id
await session.task.add({ title: 'pack it', id: 'task-pack' })
const claim = await session.task.claim({ task: 'task-pack' }, { actor: 'agent:packer' })
const token: number | undefined = claim.kind === 'accepted' ? claim.value?.token : undefined
const tasks = await session.task.list({})
const titles: readonly string[] = tasks.kind === 'accepted' ? tasks.value.map(({ title }) => title) : []
if (token === undefined || titles[0] !== 'pack it') throw new Error('no task was claimed')
const blamed = await past.blame(workspace, session, 'data.topic')
if (blamed?.by.seq !== seq) throw new Error('nobody gave it its value')
await session.close()
await workspace.close()
console.log(JSON.stringify({ value, before: before ?? null, found, seqs: seqs.length, kind: refused.kind, same: same === session.id, items, subkeys }))
`

describe('the library of the installed package', () => {
  let dir = ''
  beforeAll(() => {
    dir = newProject(installed)
    writeFileSync(join(dir, 'consumer.mjs'), transformSync(CONSUMER, { loader: 'ts' }).code)
    writeFileSync(
      join(dir, 'consumer.ts'),
      `declare const process: { argv: readonly string[] }\ndeclare const console: { log(text: string): void }\n${CONSUMER}`,
    )
  })
  afterAll(() => {
    remove(dir)
  })

  test('keeps the pinned contract', () => {
    const { status, stdout, stderr } = run(dir, process.execPath, ['consumer.mjs', dir])
    expect(status, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      value: 'auth',
      before: null,
      found: ['auth'],
      seqs: 103,
      kind: 'refused',
      same: true,
      items: 1,
      subkeys: [],
    })
  })

  test('makes checkpoints, so its worker is where it looks for it', () => {
    const sessions = join(dir, '.steadfold/sessions')
    const [id = ''] = readdirSync(sessions)
    expect(readdirSync(join(sessions, id))).toContain('checkpoint.json')
  })

  test('makes checkpoints whatever options its process was started with', () => {
    const code = transformSync(CONSUMER.replaceAll(`'b'`, `'c'`).replaceAll(`'.'`, `'evaluated'`), {
      loader: 'ts',
    }).code
    mkdirSync(join(dir, 'evaluated'))
    const { status, stderr } = run(dir, process.execPath, ['--input-type=module', '--eval', code])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const sessions = join(dir, 'evaluated/.steadfold/sessions')
    const [id = ''] = readdirSync(sessions)
    expect(readdirSync(join(sessions, id))).toContain('checkpoint.json')
  })

  test.each(['node16', 'bundler'] as const)('has types that stand alone under %s, strict, lib check on', (mode) => {
    const { status, stdout } = typecheck(dir, ['consumer.ts'], mode)
    expect(status, stdout).toBe(0)
  })

  test('has types that refuse what the contract does not know', () => {
    const bad = `import { openWorkspace } from 'steadfold'\nconst w = await openWorkspace({ dir: 1 })\nw.nothing()\nconst s = await w.session('b')\nvoid s.state.set({ value: 1 })\nconst claim = await s.task.claim({})\nif (claim.kind === 'accepted') claim.value?.tokn\n`
    writeFileSync(join(dir, 'bad.ts'), bad)
    const { status, stdout } = typecheck(dir, ['bad.ts'], 'node16')
    expect(status).not.toBe(0)
    expect(stdout).toContain(`Type 'number' is not assignable to type 'string'`)
    expect(stdout).toContain(`Property 'nothing' does not exist`)
    expect(stdout).toContain(`Property 'path' is missing`)
    expect(stdout).toContain(`Property 'tokn' does not exist`)
  })
})
