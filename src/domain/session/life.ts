/* S1 of session.ts: where a session's life may go, and what it takes on its way. */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Lifecycle } from './events.ts'

/** Ending a session goes through terminating in the same commit. */
export const MOVES: Readonly<Record<Lifecycle, readonly Lifecycle[]>> = {
  initializing: ['active', 'terminating'],
  active: ['suspended', 'recovering', 'terminating'],
  suspended: ['active', 'recovering', 'terminating'],
  recovering: ['active', 'terminating'],
  terminating: ['active', 'terminated'],
  terminated: [],
}

/** What continues history elsewhere, or tells what happened to it. */
const ALWAYS: ReadonlySet<string> = new Set(['session.fork', 'session.repair'])

/** Work that waits until a session is active. */
const NOT_YET: ReadonlySet<string> = new Set([
  'step.start',
  'task.claim',
  'task.start',
  'agent.register',
  'agent.spawn',
  'supervise.start',
  'turn.start',
])

const LIFE = ['session.end', 'session.terminate', 'session.mark', 'session.recover', 'session.extend', 'session.tick']

/** What may end, be given back or be told while nothing may begin. */
const FINISHING = [
  'step.finish',
  'step.fail',
  'output.set',
  'output.import',
  'task.done',
  'task.submit',
  'task.fail',
  'task.release',
  'lock.release',
  'message.ack',
  'handoff.complete',
  'agent.heartbeat',
  'agent.stop',
  'agent.leave',
  'agent.reap',
  'activity.record',
  'activity.meter',
  'activity.close',
  'session.release',
]

const TAKES: Readonly<Record<'suspended' | 'recovering' | 'terminating', ReadonlySet<string>>> = {
  suspended: new Set([...LIFE, 'session.suspend', 'session.resume']),
  recovering: new Set([...LIFE, ...FINISHING, 'session.resume', 'session.acquire', 'session.renew']),
  terminating: new Set([...LIFE, ...FINISHING, 'session.unmark', 'session.renew']),
}

const NEXT: Readonly<Record<Lifecycle, (name: string) => string>> = {
  initializing: () => 'steadfold session activate',
  active: () => 'steadfold session show',
  suspended: (name) => `steadfold session resume ${name}`,
  recovering: (name) => `steadfold session resume ${name}, when what was lost has been looked at`,
  terminating: (name) => `steadfold session extend 8 goes on; steadfold session end ${name} ends it`,
  terminated: (name) => `steadfold session fork ${name} NEW-NAME goes on from it`,
}

const SAID: Readonly<Record<Lifecycle, string>> = {
  initializing: 'is still being set up',
  active: 'is active',
  suspended: 'is suspended',
  recovering: 'is recovering',
  terminating: 'is terminating: nothing new begins',
  terminated: 'has ended',
}

interface Living {
  readonly name: string
  readonly lifecycle: { readonly status: Lifecycle; readonly outcome: string | null }
}

export function barred({ name, lifecycle }: Living, operation: string): Refusal | undefined {
  const { status, outcome } = lifecycle
  if (status === 'active' || ALWAYS.has(operation)) return undefined
  if (status === 'initializing' && !NOT_YET.has(operation)) return undefined
  if (status !== 'initializing' && status !== 'terminated' && TAKES[status].has(operation)) return undefined
  const how = status === 'terminated' ? ` (${outcome ?? 'no outcome'})` : ''
  return refuse('SESSION_NOT_WRITABLE', `session ${name} ${SAID[status]}${how}`, {
    hint: NEXT[status](quoted(name)),
    details: { status },
  })
}

export const notFrom = (status: Lifecycle, to: Lifecycle): Refusal =>
  refuse('LIFECYCLE_INVALID', `a session that is ${status} cannot become ${to}`, {
    hint: 'steadfold session show',
    details: { allowed: MOVES[status] },
  })
