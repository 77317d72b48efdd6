import { ADA, BEN, CLEO, DAY, LEAD, MINUTE, SAM, SECOND, type Scene } from './play.ts'

/** The second half: tasks, locks, handoffs and steps, until only a person can go on. */
export async function work(scene: Scene): Promise<void> {
  const { as, later } = scene
  await as(LEAD, 'workflow.transition', { to: 'plan' })
  await plan(scene)
  await as(LEAD, 'workflow.transition', { to: 'implement' })
  await step(scene, 'schema', { minutes: 3, tokens: 41_200, cost_usd: 0.31 })
  await step(scene, 'hash', { minutes: 5, tokens: 96_500, cost_usd: 0.77 })
  await as(LEAD, 'session.mark', { name: 'hash-done' })
  await tasks(scene)
  await shared(scene)
  await as(LEAD, 'step.start', { key: keyOf('login'), name: 'login', state: 'implement', command: 'agents/login' })
  later(40 * SECOND)
}

async function plan({ as }: Scene): Promise<void> {
  await as(LEAD, 'epic.add', { id: 'epic-auth', title: 'Sign-in with passwords', owner: 'lead' })
  for (const task of TASKS) await as(LEAD, 'task.add', { epic: 'epic-auth', ...task })
}

async function step({ as, later }: Scene, name: string, { minutes, ...spent }: Spent): Promise<void> {
  const begun = { key: keyOf(name), name, state: 'implement', command: `agents/${name}` }
  const { token } = await as<{ readonly token: number }>(LEAD, 'step.start', begun)
  later(minutes * MINUTE)
  const outputs = { summary: `${name} is written and tested` }
  await as(LEAD, 'step.finish', { key: keyOf(name), token, exit: 0, duration_ms: minutes * MINUTE, outputs, ...spent })
}

interface Spent {
  readonly minutes: number
  readonly tokens: number
  readonly cost_usd: number
}

interface Claim {
  readonly token: number
}

async function tasks({ as, later }: Scene): Promise<void> {
  const claim = (by: string, task: string) => as<Claim>(by, 'task.claim', { task, ttl_ms: DAY })
  const first = await claim(BEN, 'task-schema')
  await as(BEN, 'task.start', { task: 'task-schema', token: first.token })
  later(2 * MINUTE)
  await as(BEN, 'task.done', { task: 'task-schema', token: first.token, artifacts: ['migrations/0007-accounts.sql'] })
  const second = await claim(BEN, 'task-hash')
  await as(BEN, 'task.start', { task: 'task-hash', token: second.token })
  const third = await claim(CLEO, 'task-limits')
  await as(CLEO, 'task.start', { task: 'task-limits', token: third.token })
  later(MINUTE)
  await as(CLEO, 'task.submit', { task: 'task-limits', token: third.token })
  await as(ADA, 'task.block', { task: 'task-mail', reason: 'the sender address is not verified yet' })
  await claim(ADA, 'task-docs')
}

async function shared({ as, later }: Scene): Promise<void> {
  const held = { ttl_ms: DAY, wait_ms: DAY }
  await as(BEN, 'lock.acquire', { resource: 'src/auth/hash.ts', reason: 'writing the hash', ...held })
  await as(CLEO, 'lock.acquire', { resource: 'src/auth/hash.ts', reason: 'review', ...held })
  await as(ADA, 'lock.acquire', { resource: 'docs/auth.md', mode: 'shared', reason: 'reading along', ...held })
  await as(CLEO, 'lock.acquire', { resource: 'docs/auth.md', mode: 'shared', ...held })
  const done = await as<Offer>(BEN, 'handoff.create', { to: 'cleo', task_id: 'task-schema', ...SCHEMA })
  await as(CLEO, 'handoff.accept', { id: done.id })
  later(2 * MINUTE)
  await as(CLEO, 'handoff.complete', { id: done.id, notes: 'read, two names changed' })
  await as(CLEO, 'handoff.create', { to: 'ada', task_id: 'task-limits', ...LIMITS })
  await as(LEAD, 'message.send', { to: ['ben'], type: 'task_assigned', payload: { task: 'task-hash', by: 'today' } })
  await as(BEN, 'message.send', { to: ['ada'], type: 'question', payload: 'Do we keep the old column for a release?' })
}

interface Offer {
  readonly id: string
}

/** What only a person can answer. */
export async function needs({ as, later }: Scene): Promise<void> {
  await as(BEN, 'message.send', {
    to: [SAM],
    type: 'question',
    priority: 'high',
    payload: 'argon2 or bcrypt? The brief does not say.',
  })
  later(90 * SECOND)
  await as(SAM, 'session.configure', { consent_mode: 'explicit', gated: ['session.terminate'] })
  await as(CLEO, 'consent.ask', { operation: 'session.terminate', note: 'all that is left waits for mail' })
  const lint = { key: keyOf('lint'), name: 'lint', state: 'implement', command: 'npm run lint' }
  const { token } = await as<Claim>(LEAD, 'step.start', lint)
  later(30 * SECOND)
  await as(LEAD, 'step.fail', { key: lint.key, token, class: 'transient', reason: 'quota' })
  await as(SAM, 'step.park', { step: 'lint', reason: 'quota, until tomorrow' })
}

/** Keys are hashes; those of a sample need only differ. */
const keyOf = (name: string): string =>
  Array.from(name.padEnd(32, '.'), (letter) => letter.charCodeAt(0).toString(16).padStart(2, '0'))
    .join('')
    .slice(0, 64)

const SCHEMA = {
  artifacts: ['migrations/0007-accounts.sql'],
  work_completed: 'Tables for accounts and sessions, with a way back',
  next_steps: 'Read the names; the rest waits for them',
}

const LIMITS = {
  artifacts: ['src/auth/limits.ts'],
  work_completed: 'Tries are counted by account',
  next_steps: 'Say whether ten tries an hour are right',
  notes: 'The old limit by address is still there',
}

const TASKS = [
  { id: 'task-schema', title: 'Tables for accounts and sessions', type: 'feature', priority: 'critical' },
  { id: 'task-hash', title: 'Hash passwords with argon2id', type: 'feature', priority: 'high', needs: ['task-schema'] },
  { id: 'task-limits', title: 'Limit tries by account', type: 'feature', priority: 'high' },
  {
    id: 'task-login',
    title: 'Sign in, sign out, stay signed in',
    type: 'feature',
    priority: 'high',
    needs: ['task-hash', 'task-limits'],
  },
  { id: 'task-mail', title: 'Reset a password by mail', type: 'feature', priority: 'medium' },
  { id: 'task-rotate', title: 'Rotate tokens at login', type: 'bug', priority: 'medium', needs: ['task-login'] },
  {
    id: 'task-tests',
    title: 'Try it with a browser',
    type: 'testing',
    priority: 'medium',
    needs: ['task-login', 'task-mail'],
  },
  { id: 'task-docs', title: 'Say how to run it', type: 'documentation', priority: 'low' },
]
