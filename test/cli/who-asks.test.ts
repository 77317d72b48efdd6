/* What an agent does is recorded as done by it, and its hook knows it by the same name. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

const ONE = '0f8fad5b-d9cb-469f-a165-70867728950e'
const TWO = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

let place: Place
beforeEach(() => {
  place = new Place()
  place.data('session', 'create', 'one')
})
afterEach(() => place.remove())

const as = (id: string) => ({ CLAUDE_CODE_SESSION_ID: id })
const hook = (id: string, name: string, more: object = {}) =>
  JSON.stringify({ session_id: id, hook_event_name: name, cwd: place.dir, ...more })
const edits = (id: string, agent: string, env = {}) => {
  const tool_input = { file_path: path.join(place.dir, 'a.ts') }
  const input = hook(id, 'PreToolUse', { tool_name: 'Edit', tool_input })
  return place.runWith({ input, env }, 'hook', agent, '--gate')
}
const lastActor = () => place.data<readonly { actor: string }[]>('log', '-n', '1')[0]?.actor

test('what an agent runs is its own: it cannot consent where a person must', () => {
  place.runWith({ env: as(ONE) }, 'state', 'set', 'data.a', '1')
  expect(lastActor()).toBe('agent:claude-7728950e')
  place.runWith({ env: { STEADFOLD_ACTOR: 'agent:lead' } }, 'state', 'set', 'data.a', '2')
  expect(lastActor()).toBe('agent:lead')
  place.run('state', 'set', 'data.a', '3')
  expect(lastActor()).toBe('human:tester')

  place.data('session', 'configure', '--gated', 'lock.break')
  expect(place.runWith({ env: as(ONE) }, 'session', 'configure', '--none-gated').status).toBe(11)
  expect(place.run('session', 'configure', '--none-gated').status).toBe(0)
})

test('what an agent does with a tool of MCP is done by the same name; a person whose name it inherited is not taken for it', () => {
  const call = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const clientInfo = { name: 'claude-code', version: '1' }
  const input =
    call(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }) +
    call(2, 'tools/call', { name: 'lock_acquire', arguments: { resource: 'a.ts' } })
  const env = { ...as(ONE), STEADFOLD_ACTOR: 'human:tester' }
  expect(place.runWith({ env, input }, 'mcp').status).toBe(0)
  expect(lastActor()).toBe('agent:claude-7728950e')
})

test('a name that is none is refused before anything is written', () => {
  const done = place.runWith({ env: { STEADFOLD_ACTOR: 'lead' } }, 'state', 'set', 'data.a', '1')
  expect(done).toMatchObject({ status: 64, err: expect.stringContaining('STEADFOLD_ACTOR is human:NAME') })
  expect(place.data<readonly unknown[]>('log')).toHaveLength(1)
})

test('a lock that an agent took lets its own edits through, and stops those of another of the same CLI', () => {
  expect(place.runWith({ env: as(ONE) }, 'lock', 'acquire', 'a.ts').status).toBe(0)
  expect(edits(ONE, 'claude')).toEqual({ status: 0, out: '', err: '' })
  expect(edits(TWO, 'claude')).toMatchObject({
    status: 2,
    err: expect.stringContaining('a.ts is locked by agent:claude-7728950e, and you are agent:claude-c1f90ae7'),
  })
  expect(edits(ONE, 'codex').status).toBe(2)
})

test('what a person locked is locked for agents', () => {
  place.run('lock', 'acquire', 'a.ts')
  for (const agent of ['claude', 'codex', 'gemini', 'opencode']) expect(edits(ONE, agent).status, agent).toBe(2)
  expect(edits(ONE, 'claude', { STEADFOLD_ACTOR: 'human:tester' }).status).toBe(2)
})

test('where several sessions are active and none is named, a lock in any of them counts', () => {
  place.run('lock', 'acquire', 'a.ts', '--as', 'agent:other')
  place.data('session', 'create', 'two')
  expect(edits(ONE, 'claude')).toMatchObject({ status: 2, err: expect.stringContaining('locked by agent:other') })
  expect(edits(ONE, 'claude', { STEADFOLD_ACTOR: 'agent:other' }).status).toBe(0)
  expect(edits(ONE, 'claude', { STEADFOLD_SESSION: 'two' }).status).toBe(0)
  place.data('session', 'suspend', 'one')
  place.data('session', 'create', 'three')
  expect(edits(ONE, 'claude').status).toBe(0)
})

test('an agent that begins is told its name', () => {
  const told = place.runWith({ input: hook(ONE, 'SessionStart') }, 'hook', 'claude').out
  expect(told).toContain('You are agent:claude-7728950e in it.')
  expect(told).toContain('lock acquire FILE --as agent:claude-7728950e')
  const named = { input: hook(TWO, 'SessionStart'), env: { STEADFOLD_ACTOR: 'agent:lead' } }
  expect(place.runWith(named, 'hook', 'codex').out).toContain('You are agent:lead in it.')
  expect(place.runWith({ env: as(TWO) }, 'prime').out).toContain('You are agent:claude-c1f90ae7 in it.')
  expect(place.run('prime').out).toContain('--as agent:NAME')
})

test('who watches an agent gives it a name', () => {
  fs.chmodSync(place.file('claude', '#!/bin/sh\necho "$STEADFOLD_ACTOR" >name\n'), 0o700)
  const env = { PATH: `${place.dir}:${process.env['PATH']}`, STEADFOLD_ACTOR: 'agent:outer' }
  place.runWith({ env }, 'run', '--agent', 'claude', '--', '-p', 'x', '--session-id', ONE)
  expect(fs.readFileSync(path.join(place.dir, 'name'), 'utf8')).toBe('agent:claude-7728950e\n')
  place.runWith({ env }, 'run', '--agent', 'claude', '--as', 'agent:lead', '--', '-p', 'x')
  expect(fs.readFileSync(path.join(place.dir, 'name'), 'utf8')).toBe('agent:lead\n')
})
