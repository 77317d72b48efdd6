import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place, plainEnv } from './binary.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const PLUGIN = path.join(ROOT, 'plugins/claude')
const json = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(PLUGIN, file), 'utf8'))

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

const shell = (command: string, input: string, env: Readonly<Record<string, string>> = {}) => {
  const all = plainEnv({ CLAUDE_PLUGIN_ROOT: PLUGIN, ...env })
  const { status, stdout } = spawnSync('/bin/sh', ['-c', command], {
    cwd: place.dir,
    env: all,
    input,
    encoding: 'utf8',
  })
  return { status, out: stdout }
}

test('the plugin has its parts where they are looked for, and the version of the package', () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(json('.claude-plugin/plugin.json')).toMatchObject({ name: 'steadfold', version })
  expect(json('.mcp.json')).toMatchObject({ mcpServers: { steadfold: { args: ['mcp'] } } })
  expect(fs.readFileSync(path.join(PLUGIN, 'skills/steadfold/SKILL.md'), 'utf8')).toMatch(
    /^---\nname: steadfold\ndescription: .+\n---\n/,
  )
})

test('its hook is the one of the package, byte for byte', () => {
  const own = fs.readFileSync(path.join(PLUGIN, 'bin/steadfold-hook'), 'utf8')
  expect(own).toBe(fs.readFileSync(path.join(ROOT, 'src/surfaces/shell/hook.sh'), 'utf8'))
  expect(fs.statSync(path.join(PLUGIN, 'bin/steadfold-hook')).mode & 0o111).not.toBe(0)
})

test('its hooks record, and tell where the session stands when it begins', () => {
  place.run('session', 'create', 'one')
  const { hooks } = json('hooks/hooks.json') as { hooks: Record<string, { hooks: { command: string }[] }[]> }
  for (const [name, [group]] of Object.entries(hooks)) {
    const { status, out } = shell(
      group?.hooks[0]?.command ?? '',
      JSON.stringify({ session_id: 's-1', hook_event_name: name }),
    )
    expect(status, name).toBe(0)
    if (name === 'SessionStart') expect(out).toContain('additionalContext')
    else expect(out, name).toBe('')
  }
  const kinds = place.data<{ value: { kind: string }[] }>('activity', 'recent').value.map(({ kind }) => kind)
  expect(kinds).toHaveLength(Object.keys(hooks).length)
})

test('a copy of it finds a steadfold on the PATH, never itself, and lets an agent go on where there is none', () => {
  const copy = path.join(place.dir, 'cache/claude')
  fs.cpSync(PLUGIN, copy, { recursive: true })
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  fs.writeFileSync(path.join(bin, 'steadfold'), '#!/bin/sh\necho "found $*"\n', { mode: 0o755 })
  const PATH = `${path.join(copy, 'bin')}:${bin}:/usr/bin:/bin`
  const command = `'${path.join(copy, 'bin/steadfold')}' hook claude`
  expect(shell(command, '', { PATH })).toEqual({ status: 0, out: 'found hook claude\n' })
  expect(shell(command, '', { PATH: `${path.join(copy, 'bin')}:/usr/bin:/bin` })).toEqual({ status: 0, out: '' })
})

test('where its package is but no node, it says so, and a hook lets the agent go on', () => {
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync('/usr/bin/dirname', path.join(bin, 'dirname'))
  const program = `'${path.join(PLUGIN, 'bin/steadfold')}'`
  const said = 'there is no node on the PATH; next: put it there where the agent is started\n'
  expect(shell(`${program} hook claude 2>&1`, '', { PATH: bin })).toEqual({ status: 0, out: said })
  expect(shell(`${program} status 2>&1`, '', { PATH: bin })).toEqual({ status: 8, out: said })
})
