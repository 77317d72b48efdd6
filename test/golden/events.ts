import type { Event } from '../../src/kernel/commit.ts'

const key = (letter: string) => letter.repeat(64)
const process = { host: 'laptop', boot_id: 'b1', pid_namespace: '4026531836', pid: 4121, started: '88213' }
const worker = { dir: 'a1', runner: process, pid: 4200 }
const captured = { sha256: key('c'), bytes: 12, truncated: false }
const cost = { tokens: 1200, cost_usd: 0.02, duration_ms: 3400 }
const written = { ...cost, stdout: captured, stderr: null }
const started = { state: 'research', attempt: 1, command: 'node work.mjs', family: 'node', repeatable: false, worker }
const definition = {
  name: 'review',
  goal: 'look at it',
  initial: 'research',
  terminal: 'complete',
  states: { research: { mode: 'parallel', steps: { todo: { run: 'node work.mjs' } }, next: ['complete'] }, complete: { steps: {}, next: [] } },
}

/** One commit a line, every event type at least once, in an order that a session could have had. */
export const story: readonly (readonly [op: string, ...events: readonly Event[]])[] = [
  ['session.create', { type: 'session.created', data: { id: 'golden', name: 'golden', goal: 'stay readable', mode: 'development', context: { 'a.b': 'é 😀 \u2028' } } }],
  ['session.rename', { type: 'session.renamed', data: { name: 'golden-log' } }],
  ['session.acquire', { type: 'session.lease-acquired', data: { holder: 'tool:runner', token: 3, acquired_at: '2026-01-01T00:00:03.000Z', expires: 1_767_225_633_000, process } }],
  ['session.renew', { type: 'session.lease-renewed', data: { token: 3, expires: 1_767_225_663_000 } }],
  ['state.set', { type: 'data.set', data: { path: '$.data.topic', value: { name: 'auth', list: [1, 2.5, null, true, 'x'] } } }],
  ['state.set', { type: 'data.set', data: { path: "$.data['k-1']['x.y'][0]", value: 'made on the way' } }],
  ['state.patch', { type: 'data.patched', data: { changes: [{ kind: 'set', path: '$.data.topic.list[5]', value: 'six' }, { kind: 'removed', path: '$.data.topic.list[0]' }] } }],
  ['state.delete', { type: 'data.deleted', data: { path: '$.data.topic.name' } }],
  ['session.mark', { type: 'session.marked', data: { name: 'draft', seq: 8 } }],
  ['session.mark', { type: 'session.marked', data: { name: 'gone', seq: 8 } }],
  ['session.unmark', { type: 'session.unmarked', data: { name: 'gone' } }],
  ['output.set', { type: 'output.set', data: { name: 'topic', value: 'line 1\nline 2' } }],
  ['workflow.define', { type: 'workflow.defined', data: { definition, current: 'research', scope: null, folder: null } }],
  ['step.start', { type: 'step.started', data: { key: key('1'), name: 'todo', token: 14, ...started } }],
  ['step.adopt', { type: 'step.adopted', data: { key: key('1'), token: 14, worker: { ...worker, pid: 4201 } } }],
  ['output.import', { type: 'output.imported', data: { values: { 'todo.count': '3' }, step: { key: key('1'), token: 14 } } }],
  ['step.finish', { type: 'step.finished', data: { key: key('1'), token: 14, exit: 0, outputs: { count: '3' }, artifacts: [{ path: 'todo.json', sha256: key('d'), bytes: 9 }], ...written } }],
  ['step.reuse', { type: 'step.reused', data: { key: key('1'), name: 'todo', state: 'research' } }],
  ['step.start', { type: 'step.started', data: { key: key('2'), name: 'lint', token: 19, ...started } }],
  ['step.fail', { type: 'step.failed', data: { key: key('2'), token: 19, class: 'transient', reason: 'exit 1', exit: 1, interrupted: false, ...written } }, { type: 'step.breaker-opened', data: { family: 'node', until: 1_767_225_700_000 } }],
  ['step.retry', { type: 'step.retried', data: { key: key('2') } }],
  ['step.park', { type: 'step.parked', data: { key: key('2'), name: 'lint', state: 'research', reason: 'quota' } }],
  ['step.release', { type: 'step.released', data: { key: key('2') } }],
  ['step.start', { type: 'step.started', data: { key: key('2'), name: 'lint', token: 24, ...started, attempt: 2 } }],
  ['step.finish', { type: 'step.finished', data: { key: key('2'), token: 24, exit: 0, outputs: {}, artifacts: [], ...written } }, { type: 'step.breaker-closed', data: { family: 'node' } }],
  ['workflow.transition', { type: 'workflow.transition-intended', data: { from: 'research', to: 'complete', token: 26 } }],
  ['workflow.transition', { type: 'workflow.transition-abandoned', data: { from: 'research', to: 'complete' } }],
  ['workflow.transition', { type: 'workflow.transition-intended', data: { from: 'research', to: 'complete', token: 28 } }, { type: 'workflow.transitioned', data: { from: 'research', to: 'complete' } }],
  ['workflow.complete', { type: 'workflow.completed', data: {} }],
  ['workflow.restart', { type: 'workflow.restarted', data: { initial: 'research' } }],
  ['session.release', { type: 'session.lease-released', data: { token: 3 } }],
  ['session.suspend', { type: 'session.suspended', data: {} }],
  ['session.resume', { type: 'session.resumed', data: {} }],
  ['session.recover', { type: 'session.recovered', data: { cause: 'crashed', evidence: ['pid 4121 not running'] } }],
  ['session.repair', { type: 'session.repaired', data: { seq: 34, reason: 'commit 35 follows commit 33', aside: ['damaged/x'] } }],
  ['session.restore', { type: 'session.restored', data: { to: 6, changes: [{ kind: 'removed', path: '$.outputs' }, { kind: 'set', path: '$.data.topic.name', value: 'auth' }] } }],
  ['session.fork', { type: 'session.forked', data: { id: 'golden-2', name: 'fork', from: { session: 'golden', seq: 36, hash: key('e') } } }],
  ['workflow.fail', { type: 'workflow.failed', data: { state: 'research', class: 'transient', reason: 'exit 1', limit: 3 } }],
  ['workflow.retry', { type: 'workflow.retried', data: { state: 'research', retry: 1, approved: false } }],
  ['workflow.fail', { type: 'workflow.failed', data: { state: 'research', class: 'terminal', reason: 'quota', limit: 3 } }],
  ['workflow.transition', { type: 'workflow.violated', data: { from: 'research', to: 'review', allowed: ['complete'] } }, { type: 'workflow.transition-intended', data: { from: 'research', to: 'complete', token: 41 } }],
  ['lock.acquire', { type: 'lock.granted', data: { resource: 'src/api.ts', holder: 'agent:a', mode: 'exclusive', token: 33, reason: 'edit', ttl_ms: 60_000, expires: 1_767_225_700_000 } }],
  ['lock.renew', { type: 'lock.renewed', data: { resource: 'src/api.ts', holder: 'agent:a', token: 33, mode: 'exclusive', ttl_ms: 60_000, expires: 1_767_225_760_000 } }],
  ['lock.acquire', { type: 'lock.queued', data: { resource: 'src/api.ts', holder: 'agent:b', mode: 'shared', ticket: 35, reason: null, ttl_ms: 1000, until: 1_767_225_760_000 } }],
  ['lock.acquire', { type: 'lock.queued', data: { resource: 'src/api.ts', holder: 'agent:c 1f', mode: 'exclusive', ticket: 36, reason: null, ttl_ms: 1000, until: 1_767_225_760_000 } }],
  ['lock.release', { type: 'lock.wait-ended', data: { resource: 'src/api.ts', holder: 'agent:c 1f', cause: 'withdrawn' } }],
  ['lock.break', { type: 'lock.broken', data: { resource: 'src/api.ts', holder: 'agent:a', token: 33, cause: 'stuck', by: 'human:ana', note: null } }, { type: 'lock.granted', data: { resource: 'src/api.ts', holder: 'agent:b', mode: 'shared', token: 38, reason: null, ttl_ms: 1000, expires: 1_767_225_639_000 } }],
  ['lock.acquire', { type: 'lock.expired', data: { resource: 'src/api.ts', holder: 'agent:b', token: 38 } }, { type: 'lock.granted', data: { resource: 'docs', holder: 'agent:b', mode: 'shared', token: 39, reason: null, ttl_ms: 1000, expires: 1_767_225_640_000 } }],
  ['lock.release', { type: 'lock.released', data: { resource: 'docs', holder: 'agent:b', token: 39 } }],
  ['lock.acquire', { type: 'lock.granted', data: { resource: 'docs', holder: 'agent:b', mode: 'shared', token: 41, reason: null, ttl_ms: 1000, expires: 1_767_225_640_000 } }],
  ['session.end', { type: 'session.ended', data: { outcome: 'completed' } }],
]
