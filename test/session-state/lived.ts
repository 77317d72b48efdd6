import { expect } from 'vitest'
import { begin } from '../domain/begin.ts'

const LIFE: readonly (readonly [name: string, input: object, actor?: string])[] = [
  ['team.add', { team: 'core', orchestrator: 'lead' }],
  ['agent.register', { agent: 'a', type: 'worker' }],
  ['task.add', { title: 'one' }],
  ['task.add', { title: 'two', needs: ['task-1'] }],
  ['epic.add', { title: 'sign in', owner: 'ana' }],
  ['sprint.add', { name: 'first', epic: 'epic-1', start: '2026-01-01', end: '2026-01-14' }],
  ['message.send', { payload: { ask: 'which?' }, to: ['b.c'], ttl_ms: 1500 }],
  ['message.send', { payload: 'stop', channel: 'emergency', to: ['a', 'b'] }],
  ['handoff.create', { to: 'a', task_id: 'task-1' }],
  ['lock.acquire', { resource: 'src/a.ts', mode: 'shared' }, 'agent:a'],
  ['lock.acquire', { resource: 'src/a.ts', mode: 'shared' }, 'agent:b'],
  ['output.set', { name: 'plan.topic', value: 'auth' }],
  ['step.start', { key: 'a'.repeat(64), name: 'build', state: null, command: 'make' }],
  ['workflow.define', { definition: { states: { plan: { steps: { s: { run: 'true' } } }, done: {} } } }],
  ['activity.record', { agent: 'claude', payload: '{"session_id":"s-1","hook_event_name":"SessionStart"}' }],
  ['channel.create', { channel: 'room' }],
  ['turn.join', { channel: 'room', agent: 'a' }],
  ['chat.open', { text: 'hello' }],
  ['supervise.start', { kind: 'research', workers: [{ id: 'docs', topic: 'docs' }] }],
  ['state.set', { path: "$.data['a.b'].c-d", value: [1, { deep: 'x' }] }],
]

/** A session in which everything has happened once. */
export async function lived() {
  const { session } = await begin()
  for (const [name, input, actor] of LIFE)
    expect(await session.run(name, input, { actor }), name).toMatchObject({ kind: 'accepted' })
  return session
}
