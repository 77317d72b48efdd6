/*
 * The layers of ARCHITECTURE.md as a test, with a real parser: a regular expression misses `import 'node:fs'`.
 * Change the page and this test together.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { circles } from './architecture/circles.ts'
import { FLOORS } from './architecture/floors.ts'
import { problems } from './architecture/layers.ts'

const root = join(import.meta.dirname, '..')

const files = ['src', 'test', 'web']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => (readdirSync(join(root, folder), { recursive: true }) as string[]).map((f) => `${folder}/${f}`))
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))

test('every layer has files to look at', () => {
  for (const layer of ['kernel', 'domain', 'drivers', 'waiting', 'surfaces', 'runner']) {
    expect(files.filter((file) => file.startsWith(`src/${layer}/`)).length, layer).toBeGreaterThan(0)
  }
})

test.each(files)('%s keeps to its layer, its size and a name that says something', (file) => {
  expect(problems(file, readFileSync(join(root, file), 'utf8'))).toEqual([])
})

test('no file of the product leads back to itself', () => {
  const own = files.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
  expect(circles(new Map(own.map((file) => [file, readFileSync(join(root, file), 'utf8')])))).toEqual([])
})

test('ARCHITECTURE.md names every module, driver, surface and adapter', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const folders = ['domain', 'drivers', 'surfaces', 'adapters'].flatMap((layer) =>
    readdirSync(join(root, 'src', layer), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
  )
  expect(folders.map(({ name }) => name).filter((name) => !new RegExp(`[\`/]${name}[\`/]`).test(page))).toEqual([])
})

test('ARCHITECTURE.md has the floors in their order, and what lies beside them', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const [, kernel = ''] = /^The kernel's folders([\s\S]*?)^The command line/m.exec(page) ?? []
  const [, line = ''] = /^The command line is built([\s\S]*?)^$/m.exec(page) ?? []
  for (const [layer, text] of [
    ['src/kernel/', kernel],
    ['src/surfaces/cli/', line],
  ] as const) {
    expect([...text.matchAll(/`(\w+)\/`/g)].map(([, folder]) => folder)).toEqual(FLOORS[layer]?.folders)
    const named = [...text.matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => file)
    expect(new Set(named)).toEqual(new Set(FLOORS[layer]?.beside))
  }
})

test('ARCHITECTURE.md says how long the files are through which one command goes', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(src\/\S+)` \| (\d+) \|/gm)].map(([, file = '', lines]) => [file, Number(lines)])
  expect(rows.length).toBeGreaterThan(6)
  const counted = rows.map(([file]) => [file, readFileSync(join(root, String(file)), 'utf8').split('\n').length - 1])
  expect(rows).toEqual(counted)
})

test('npm run soak runs every test that has a full length', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { soak: string } }
  const [, named = ''] = scripts.soak.split('vitest run ')
  const long = files.filter((file) => {
    const [, names = ''] =
      /import \{([^}]*)\} from '[^']*rig\/plan.ts'/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    return file.endsWith('.test.ts') && /\b(?:soak|count)\b/.test(names)
  })
  expect(long.length).toBeGreaterThan(10)
  expect(long.filter((file) => !named.split(' ').some((path) => file.startsWith(path)))).toEqual([])
})

/** File, source, what must be said about it. */
type Case = readonly [file: string, source: string, said: string]

const CROSSINGS: readonly Case[] = [
  ['src/kernel/a.ts', `import 'node:fs'`, 'imports node:fs'],
  ['src/kernel/a.ts', `import { x } from '../domain/steps/events.ts'`, 'imports src/domain/steps/events.ts'],
  ['src/kernel/a.ts', `import type { X } from '../drivers/files/log.ts'`, 'imports src/drivers/files/log.ts'],
  ['src/kernel/a.ts', `import { type X } from '../compose.ts'`, 'imports src/compose.ts'],
  ['src/kernel/a.ts', `export { x } from '../surfaces/cli/cli.ts'`, 'imports src/surfaces/cli/cli.ts'],
  ['src/kernel/a.ts', `export * from '../index.ts'`, 'imports src/index.ts'],
  ['src/kernel/a.ts', `export * from './b.ts'`, 're-exports all of ./b.ts'],
  ['src/kernel/a.ts', `const x = await import('json-p3')`, 'imports json-p3'],
  ['src/kernel/a.ts', `const x = await import(name)`, 'imports a computed name'],
  ['src/kernel/a.ts', `type X = import('node:fs').Stats`, 'imports node:fs'],
  ['src/kernel/a.ts', `import fs = require('node:fs')`, 'imports node:fs'],
  ['src/kernel/a.ts', `const fs = require('fs')`, 'imports fs'],
  ['src/kernel/a.ts', `import * as z from 'zod'`, 'imports zod'],
  ['src/kernel/a.ts', `import { openWorkspace } from 'steadfold'`, 'imports steadfold'],
  ['src/kernel/log/b.ts', `import '../../domain/data/data.ts'`, 'imports src/domain/data/data.ts'],
  [
    'src/kernel/log/a.ts',
    `import type { X } from '../state/b.ts'`,
    'imports src/kernel/state/b.ts, which stands above it',
  ],
  [
    'src/surfaces/cli/show/a.ts',
    `import '../context/b.ts'`,
    'imports src/surfaces/cli/context/b.ts, which stands above it',
  ],
  ['src/kernel/a/b.ts', `import './c.ts'`, 'stands on no floor of its layer'],
  ['src/surfaces/cli/a.ts', `import './show/b.ts'`, 'stands on no floor of its layer'],
  ['src/domain/steps/steps.ts', `import '../data/data.ts'`, 'imports src/domain/data/data.ts'],
  ['src/domain/steps/steps.ts', `import '../../runner/run.ts'`, 'imports src/runner/run.ts'],
  ['src/domain/steps/steps.ts', `import { createHash } from 'crypto'`, 'imports crypto'],
  ['src/drivers/files/log.ts', `import '../memory/log.ts'`, 'imports src/drivers/memory/log.ts'],
  ['src/drivers/files/log.ts', `import '../../domain/data/events.ts'`, 'imports src/domain/data/events.ts'],
  ['src/drivers/files/log.ts', `import 'steadfold'`, 'imports steadfold'],
  ['src/surfaces/cli/cli.ts', `import '../../compose.ts'`, 'imports src/compose.ts'],
  ['src/surfaces/cli/cli.ts', `import '../shell/library.ts'`, 'imports src/surfaces/shell/library.ts'],
  ['src/waiting/a.ts', `import '../domain/locks/decide.ts'`, 'imports src/domain/locks/decide.ts'],
  ['src/waiting/a.ts', `import 'node:fs'`, 'imports node:fs'],
  ['src/runner/run.ts', `import '../domain/data/data.ts'`, 'imports src/domain/data/data.ts'],
  ['src/runner/run.ts', `import { spawn } from 'node:child_process'`, 'imports node:child_process'],
  ['src/runner/run.ts', `import '../drivers/process/spawn.ts'`, 'imports src/drivers/process/spawn.ts'],
  ['src/loose.ts', ``, 'belongs to no layer'],
  ['src/domain/loose.ts', ``, 'belongs to no layer'],
  ['web/src/page.tsx', `import { fold } from '../../src/kernel/fold.ts'`, 'imports src/kernel/fold.ts'],
]

const IMPURE: readonly Case[] = [
  ['src/kernel/a.ts', `const t = Date.now()`, 'uses Date.now'],
  ['src/kernel/a.ts', `const t = Date['now']()`, 'uses Date.[computed]'],
  ['src/kernel/a.ts', `const { now } = Date`, 'uses Date'],
  ['src/kernel/a.ts', `const t = new Date()`, 'uses new Date()'],
  ['src/kernel/a.ts', `const t = Date()`, 'uses Date'],
  ['src/kernel/a.ts', `const r = Math.random()`, 'uses Math.random'],
  ['src/kernel/a.ts', `const e = process.env.HOME`, 'uses process'],
  ['src/kernel/a.ts', `declare const process: { env: object }\nconst e = process.env`, 'uses process'],
  ['src/kernel/a.ts', `const e = { process }`, 'uses process'],
  ['src/kernel/a.ts', `const e = globalThis['process']`, 'uses globalThis'],
  ['src/kernel/a.ts', `const f = (tick = setTimeout) => tick`, 'uses setTimeout'],
  ['src/kernel/a.ts', `const u = import.meta.url`, 'uses import.meta'],
  ['src/domain/data/data.ts', `const r = await fetch('x')`, 'uses fetch'],
  ['src/domain/data/data.ts', `const id = crypto.randomUUID()`, 'uses crypto'],
  ['src/domain/data/data.ts', `const t = performance.now()`, 'uses performance'],
]

const REALMS: readonly Case[] = [
  ['src/kernel/a.ts', `const is = (e: unknown) => e instanceof Error`, 'asks instanceof Error, not isError'],
  [
    'src/drivers/files/log.ts',
    `try {} catch (e) { if (!(e instanceof Error)) throw e }`,
    'asks instanceof Error, not isError',
  ],
]

const SHAPE: readonly Case[] = [
  ['src/kernel/utils.ts', '', 'is called "utils", which says nothing'],
  ['src/drivers/common/log.ts', '', 'is called "common", which says nothing'],
  ['src/kernel/helpers.test.ts', '', 'is called "helpers", which says nothing'],
  ['src/kernel/a.ts', `import './a.ts'\n/* What it is. */\nimport './b.ts'\n`, 'has a comment among its imports'],
]

describe('the checker sees what it must', () => {
  test.each([...CROSSINGS, ...IMPURE, ...REALMS, ...SHAPE])('in %s: %s', (file, source, said) => {
    expect(problems(file, source)).toContain(said)
  })

  test('a way back over others, by types or on use', () => {
    const found = circles(
      new Map([
        ['src/a.ts', `import type { B } from './b/b.ts'`],
        ['src/b/b.ts', `import './c.ts'\nimport 'node:fs'`],
        ['src/b/c.ts', `const a = await import('../a.ts')\nimport '../d.ts'`],
        ['src/d.ts', ''],
      ]),
    )
    expect(found).toEqual(['src/a.ts -> src/b/b.ts -> src/b/c.ts -> src/a.ts'])
  })

  test('a file of 301 lines is too long, one of 300 is not', () => {
    expect(problems('src/kernel/kernel.ts', 'const a = 1\n'.repeat(301))).toEqual(['has 301 lines, at most 300'])
    expect(problems('src/kernel/kernel.ts', 'const a = 1\n'.repeat(300))).toEqual([])
  })

  test('a file that does not parse is not passed over', () => {
    expect(() => problems('src/kernel/a.ts', 'const = 1')).toThrow('src/kernel/a.ts')
  })
})

const ALLOWED: readonly (readonly [file: string, source: string])[] = [
  ['src/kernel/state/a.ts', `import './b.ts'\nimport '../log/b.ts'\nimport type { X } from '../session.ts'`],
  ['src/kernel/kernel.ts', `import * as z from 'zod/mini'\nimport type { Commit } from './commit.ts'`],
  ['src/kernel/kernel.ts', `// Date.now() and process.env\nconst text = 'process.env, new Date()'`],
  [
    'src/kernel/kernel.ts',
    `const t = new Date(at); const ok = t instanceof Date; const n = Date.parse(at) + Math.max(1, 2)`,
  ],
  [
    'src/kernel/kernel.ts',
    `interface Ports { process: string; fetch(): void }\nconst x = ports.process; ports.fetch()`,
  ],
  ['src/kernel/kernel.ts', `declare global { interface JSON { rawJSON(text: string): unknown } }\nexport {}`],
  ['src/kernel/kernel.ts', `const x = { process: 1, setTimeout() {} }\nfunction at(time: Date) {}`],
  ['src/domain/steps/steps.ts', `import '../data/events.ts'\nimport './events.ts'\nimport '../../kernel/error.ts'`],
  ['src/runner/run.ts', `import '../domain/steps/steps.ts'\nimport '../kernel/error.ts'\nimport './plan.ts'`],
  ['src/drivers/files/log.ts', `import 'node:fs'\nimport { v7 } from 'uuid'\nimport './segment.ts'`],
  ['src/compose.ts', `import './drivers/files/log.ts'\nimport './domain/data/data.ts'`],
  ['src/kernel/error.ts', `const is = (e: unknown) => e instanceof Error`],
  ['src/kernel/kernel.ts', `const is = (e: unknown) => e instanceof EngineError`],
  ['src/kernel/a.test.ts', `import '../drivers/memory/log.ts'\nconst t = Date.now()`],
  ['web/src/page.tsx', `import type { Commit } from '../../src/kernel/commit.ts'\nimport { h } from 'preact'`],
]

describe('the checker leaves alone what is fine', () => {
  test.each(ALLOWED)('in %s: %s', (file, source) => {
    expect(problems(file, source)).toEqual([])
  })
})
