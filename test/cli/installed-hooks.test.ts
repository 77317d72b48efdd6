import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  place.run('session', 'create', 'one')
})
afterEach(() => place.remove())

const settingsOf = (file: string) =>
  JSON.parse(fs.readFileSync(path.join(place.dir, file), 'utf8')) as {
    readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>
    readonly statusLine?: { readonly command: string }
  }

const EVENT = { session_id: 's-1', tool_name: 'Bash' }

/** What is printed, and the status, where `before` ran in the same shell. */
function heard(command: string, name: string, before = ''): readonly string[] {
  fs.writeFileSync(path.join(place.dir, 'event.json'), JSON.stringify({ ...EVENT, hook_event_name: name }))
  place.shell(`(${before}${command}\n) <event.json >out.txt 2>&1; echo $? >status.txt`)
  return ['out.txt', 'status.txt'].map((file) => fs.readFileSync(path.join(place.dir, file), 'utf8'))
}

test('the hooks that are installed do what they say, and nothing when the program is gone', () => {
  place.run('install', 'claude')
  const { hooks } = settingsOf('.claude/settings.local.json')
  const commandOf = (event: string) => hooks[event]?.[0]?.hooks[0]?.command ?? ''
  expect(heard(commandOf('SessionStart'), 'SessionStart')[0]).toContain('additionalContext')
  expect(heard(commandOf('PreToolUse'), 'PreToolUse')).toEqual(['', '0\n'])
  expect(place.run('activity', 'list').out).toContain('Bash')
  expect(heard(commandOf('PreToolUse').replaceAll('/hook.sh', '/gone.sh'), 'PreToolUse')).toEqual(['', '0\n'])
})

test.each([
  ['claude', '.claude/settings.local.json'],
  ['codex', '.codex/hooks.json'],
  ['gemini', '.gemini/settings.json'],
])('P4 of %s also where the agent has no node on its PATH', (agent, file) => {
  place.run('install', agent)
  const { hooks, statusLine } = settingsOf(file)
  const away = 'PATH=/nowhere; '
  const [told, status] = heard(hooks['SessionStart']?.[0]?.hooks[0]?.command ?? '', 'SessionStart', away)
  expect([told?.slice(0, 1), status]).toEqual(['{', '0\n'])
  if (statusLine !== undefined) expect(heard(statusLine.command, 'Status', away)[0]).toContain('one')
})

test.each([
  ['codex', '.codex/config.toml'],
  ['gemini', '.gemini/settings.json'],
])('P4 the server of MCP of %s runs there, too', (agent, file) => {
  place.run('install', agent)
  const text = fs.readFileSync(path.join(place.dir, file), 'utf8')
  const { command, args } = Object.values(serversIn(agent, text))[0] ?? { command: '', args: [] }
  const bin = path.join(place.dir, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync('/bin/sh', path.join(bin, 'sh'))
  const { stdout } = spawnSync(command, args, {
    cwd: place.dir,
    env: { PATH: bin },
    input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} })
})

type Servers = Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>

function serversIn(agent: string, text: string): Servers {
  if (agent === 'gemini') return (JSON.parse(text) as { readonly mcpServers: Servers }).mcpServers
  return parse(text)['mcp_servers'] as unknown as Servers
}
