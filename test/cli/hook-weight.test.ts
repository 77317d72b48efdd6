/* What hooks and scripts start and load: an agent waits for a hook with every tool, a script for its state in every block. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

const DIST = path.dirname(PROGRAM)

let place: Place
beforeEach(() => {
  place = new Place()
  expect(place.run('session', 'create', 'one').status).toBe(0)
})
afterEach(() => place.remove())

const event = (name: string) => JSON.stringify({ session_id: 's-1', hook_event_name: name, cwd: place.dir })

/** Names and bytes of the programs in dist/ that a command reads; what V8 has compiled ahead counts, too. */
function loadedBy(input: string, ...args: readonly string[]): ReadonlyMap<string, number> {
  const list = path.join(place.dir, 'loaded')
  const spy = place.file(
    'spy.cjs',
    `const fs = require('node:fs')
     const read = fs.readFileSync
     fs.readFileSync = (file, ...more) => {
       const bytes = read(file, ...more)
       if (String(file).startsWith(${JSON.stringify(DIST)}))
         fs.appendFileSync(${JSON.stringify(list)}, file + ' ' + bytes.length + '\\n')
       return bytes
     }`,
  )
  const { status, err } = place.runWith({ input, env: { NODE_OPTIONS: `--require=${spy}` } }, ...args)
  expect({ status, err }).toEqual({ status: 0, err: '' })
  const lines = fs.readFileSync(list, 'utf8').trim().split('\n')
  fs.rmSync(list)
  return new Map(lines.map((line) => [path.basename(line.split(' ')[0] ?? ''), Number(line.split(' ')[1])]))
}

const bytes = (loaded: ReadonlyMap<string, number>): number => [...loaded.values()].reduce((sum, each) => sum + each, 0)

test('with Node, what agents call loads no more than a write of the state does, and never the full program', () => {
  const write = bytes(loadedBy('', 'state', 'set', 'data.n', '1'))
  expect(bytes(loadedBy(event('PostToolUse'), 'hook', 'claude'))).toBeLessThan(1.25 * write)
  for (const args of [['hook', 'claude'], ['hook', 'claude', '--gate'], ['prime'], ['statusline']])
    expect([...loadedBy(event('SessionStart'), ...args).keys()], args.join(' ')).not.toContain('cli.cjs')
})

test('what the functions for shells ask loads no more than a write of the state does, and never the full program', () => {
  const write = bytes(loadedBy('', 'state', 'set', 'data.n', '1'))
  expect(bytes(loadedBy('', 'shell', '--view'))).toBeLessThan(1.25 * write)
  for (const [input, ...args] of [
    ['', '--start', 'Fix it'],
    ['{"a":1}', '--save', 'one'],
    ['', '--view'],
  ] as const)
    expect([...loadedBy(input, 'shell', ...args).keys()], args.join(' ')).not.toContain('cli.cjs')
})

test('H1 what starts often uses the modules of Node as they are: a copy of each costs more than a command', () => {
  const programs = fs.readdirSync(DIST).filter((name) => /^(hot|hook).*\.cjs$/.test(name))
  expect(programs.length).toBeGreaterThan(10)
  const copying = /\(require\("node:[\w/]+"\), ?1\)/
  expect(programs.filter((name) => copying.test(fs.readFileSync(path.join(DIST, name), 'utf8')))).toEqual([])
})

test('through the shell nothing of Node is needed: it works where there is none', () => {
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  for (const tool of ['cat', 'head', 'mkdir', 'date']) {
    const found = spawnSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()
    fs.symlinkSync(found, path.join(bin, tool))
  }
  const { status, stdout, stderr } = spawnSync('/bin/sh', [path.join(DIST, 'hook.sh'), 'claude'], {
    cwd: place.dir,
    env: { PATH: bin },
    input: event('PostToolUse'),
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(
    fs.readdirSync(path.join(place.dir, '.steadfold/spool')).filter((name) => name.endsWith('.fact')),
  ).toHaveLength(1)
})

test('K1 a fact of others that cannot be taken in does not make a hook speak', () => {
  const spool = path.join(place.dir, '.steadfold/spool')
  fs.mkdirSync(spool, { recursive: true })
  const fact = (op: string) => `steadfold-fact 1\nsession: \nactor: tool:shell\nop: ${op}\nname: a\n\nx\n#end\n`
  fs.writeFileSync(path.join(spool, 'one.fact'), fact('no.operation'))
  const done = place.runWith({ input: event('Stop') }, 'hook', 'claude')
  expect(done).toEqual({ status: 0, out: '', err: '' })
  expect(fs.readdirSync(path.join(spool, 'rejected'))).toContain('one.fact')
})

test.each(['<&-', '</'])('K1 a stdin that cannot be read stops no agent: %s', (from) => {
  const script = `sh ${path.join(DIST, 'hook.sh')} claude ${from}`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: place.dir, encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
