/* The library inside the bundle of somebody else's program, which takes along code and nothing that lies beside it. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { remove } from '../remove.ts'
import { run } from './project.ts'

const installed = inject('project')

const PROGRAM = `
import { openRunner, openWorkspace } from 'steadfold'
async function main() {
  const workspace = await openWorkspace({ dir: '.', settings: { checkpointBytes: 1000, checkpointMs: 0 } })
  const session = await workspace.createSession({ name: 'b' })
  for (let i = 0; i < 100; i++) await session.state.set({ path: '$.data.n', value: i })
  const found = await session.query('$.data.n')
  const { kind: cloned } = await session.state.set({ path: '$.data.cloned', value: structuredClone({ list: [1, { m: 1 }] }) })
  const ran = await openRunner(workspace).then((runner) => runner.once({ session, key: 'k', argv: ['true'] })).catch(({ code }) => code)
  await workspace.close()
  console.log(JSON.stringify({ found, cloned, ran }))
}
void main()
`

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steadfold-bundled-'))
})
afterEach(() => {
  remove(dir)
})

async function bundled(format: 'esm' | 'cjs'): Promise<string> {
  const outfile = join(dir, format === 'esm' ? 'program.mjs' : 'program.cjs')
  const stdin = { contents: PROGRAM, resolveDir: installed }
  await build({ stdin, outfile, format, bundle: true, platform: 'node', logLevel: 'silent' })
  return outfile
}

const checkpoint = () => {
  const sessions = join(dir, '.steadfold/sessions')
  const [id = ''] = readdirSync(sessions)
  return readdirSync(join(sessions, id)).includes('checkpoint.json')
}

test.each(['esm', 'cjs'] as const)('works in a bundle of format %s, alone in its folder', async (format) => {
  const { status, stdout, stderr } = run(dir, process.execPath, [await bundled(format)])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ found: [99] })
  expect(checkpoint()).toBe(true)
})

/** Runs a bundle in a realm of its own, as Jest does: what Node throws and hands out is no child of its classes. */
const REALM = `
const vm = require('node:vm')
const context = vm.createContext({ require, __filename, console })
const own = new Set(vm.runInContext('Object.getOwnPropertyNames(globalThis)', context))
for (const name of Object.getOwnPropertyNames(globalThis)) if (!own.has(name)) context[name] = globalThis[name]
vm.runInContext(require('node:fs').readFileSync('program.cjs', 'utf8'), context)
`

test('works in a realm that is not that of Node', async () => {
  await bundled('cjs')
  writeFileSync(join(dir, 'realm.cjs'), REALM)
  const { status, stdout, stderr } = run(dir, process.execPath, ['realm.cjs'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ found: [99], cloned: 'accepted' })
})

test('begins no command without its wrapper, and runs it with a copy', async () => {
  const program = await bundled('esm')
  expect(JSON.parse(run(dir, process.execPath, [program]).stdout)).toMatchObject({ ran: 'STORE_UNAVAILABLE' })
  rmSync(join(dir, '.steadfold'), { recursive: true })
  copyFileSync(join(installed, 'node_modules/steadfold/dist/wrapper.sh'), join(dir, 'wrapper.sh'))
  expect(JSON.parse(run(dir, process.execPath, [program]).stdout)).toMatchObject({ ran: { kind: 'ran', exit: 0 } })
})

test('starts no program of theirs that lies beside it', async () => {
  writeFileSync(join(dir, 'worker.js'), "require('node:fs').writeFileSync('started', '')")
  const { stderr } = run(dir, process.execPath, [await bundled('esm')])
  expect({ stderr, started: existsSync(join(dir, 'started')), checkpoint: checkpoint() }).toEqual({
    stderr: '',
    started: false,
    checkpoint: true,
  })
})

test('names its files in no way that other bundlers take for their own', () => {
  const dist = join(installed, 'node_modules/steadfold/dist')
  const modules = readdirSync(dist).filter((name) => name.endsWith('.js'))
  const taken = /new URL\(\s*['"`][^'"`]*['"`],\s*import\.meta\.url/
  expect(modules.filter((name) => taken.test(readFileSync(join(dist, name), 'utf8')))).toEqual([])
})
