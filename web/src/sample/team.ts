import { ADA, BEN, CLEO, DAY, LEAD, MINUTE, SAM, SECOND, type Scene } from './play.ts'

/** The first half: a workflow, a team, and research whose reports stay where they are while summaries go up. */
export async function setUp({ as, later }: Scene): Promise<void> {
  await as(SAM, 'workflow.define', { definition: WORKFLOW })
  await as(SAM, 'state.set', {
    path: 'data.brief',
    value: { service: 'accounts', language: 'TypeScript', users: 40_000 },
  })
  await as(SAM, 'state.set', { path: 'data.constraints', value: ['no new database', 'sessions survive a deploy'] })
  later(20 * SECOND)
  await as(LEAD, 'agent.register', { agent: 'lead', type: 'supervisor', ttl_ms: DAY })
  for (const [agent, type] of WORKERS)
    await as(LEAD, 'agent.spawn', { agent, type, ttl_ms: DAY, worktree: `worktrees/${agent}` })
  await as(LEAD, 'workflow.transition', { to: 'research' })
  await research({ as, later })
}

async function research({ as, later }: Pick<Scene, 'as' | 'later'>): Promise<void> {
  await as(LEAD, 'supervise.start', { kind: 'research', id: 'topics', workers: TOPICS })
  const search = { supervisor: 'topics', worker: 'pricing' }
  await as(LEAD, 'supervise.begin', search)
  const tokens = new Map<string, number>()
  for (const { id, by } of REPORTS) {
    const { token } = await as<{ readonly token: number }>(by, 'supervise.begin', { supervisor: 'topics', worker: id })
    tokens.set(id, token)
    later(10 * SECOND)
  }
  for (const { id, by, minutes, ...report } of REPORTS) {
    later(minutes * MINUTE)
    const told = { supervisor: 'topics', worker: id, token: tokens.get(id), ...report, text: textOf(report) }
    await as(by, 'supervise.report', told)
    await as(by, 'agent.heartbeat', { agent: by.replace('agent:', ''), status: 'busy', tokens: 9000 + minutes * 700 })
  }
  await as(LEAD, 'supervise.fail', { ...search, reason: 'quota of the search tool' })
  await as(LEAD, 'output.set', { name: 'research.choice', value: 'argon2id' })
  await as(LEAD, 'session.mark', { name: 'research-done' })
}

interface Report {
  readonly title: string
  readonly summary: string
  readonly key_findings: readonly string[]
}

/** A report as an agent writes it: long, with what it says at the top. */
function textOf({ title, summary, key_findings: findings }: Report): string {
  const body = findings.map((finding, i) => `## ${i + 1}. ${finding}\n\n${PROSE.repeat(6)}`).join('\n\n')
  return `# ${title}\n\n${summary}\n\n## Key findings\n\n${findings.map((each) => `- ${each}`).join('\n')}\n\n${body}\n`
}

const PROSE =
  'The measurement was repeated on the small machine and on the large one, with and without load, and the figures of both are in the table below. '

const WORKERS = [
  ['ada', 'architect'],
  ['ben', 'backend'],
  ['cleo', 'reviewer'],
] as const

const TOPICS = [
  { id: 'hashing', topic: 'Password hashing on our hardware' },
  { id: 'sessions', topic: 'Where sessions live' },
  { id: 'pricing', topic: 'What hosted identity would cost' },
  { id: 'threats', topic: 'What can go wrong' },
]

const REPORTS = [
  {
    id: 'hashing',
    by: BEN,
    minutes: 4,
    title: 'Password hashing',
    summary: 'argon2id with 64 MiB takes 92 ms on the smallest machine; bcrypt cuts passwords at 72 bytes.',
    key_findings: ['argon2id: 92 ms at 64 MiB', 'bcrypt ignores all behind 72 bytes', 'Both have maintained packages'],
  },
  {
    id: 'sessions',
    by: ADA,
    minutes: 3,
    title: 'Session storage',
    summary: 'Rows in the present database are enough for 40,000 users and survive a deploy.',
    key_findings: ['One indexed read each request', 'Tokens are stored hashed', 'Expiry needs a daily job'],
  },
  {
    id: 'threats',
    by: CLEO,
    minutes: 2,
    title: 'Threats',
    summary:
      'Fixation and slow brute force matter most; both are answered by rotation and by a limit for each account.',
    key_findings: ['Rotate the token at login', 'Limit tries by account, not by address'],
  },
]

const WORKFLOW = {
  name: 'add-auth',
  goal: 'Sign-in with passwords, reviewed and documented',
  initial: 'initialize',
  terminal: 'complete',
  states: {
    initialize: { next: ['research'] },
    research: {
      mode: 'waves',
      min_success: 0.5,
      next: ['plan'],
      steps: { survey: { run: 'agents/survey' }, compare: { run: 'agents/compare', needs: ['survey'] } },
    },
    plan: { next: ['implement', 'research'] },
    implement: {
      mode: 'waves',
      max_parallel: 3,
      next: ['review'],
      on_failure: 'debug',
      steps: {
        schema: { run: 'agents/schema' },
        hash: { run: 'agents/hash', needs: ['schema'] },
        login: { run: 'agents/login', needs: ['hash'] },
        lint: { run: 'npm run lint', needs: ['login'] },
      },
    },
    debug: { next: ['implement'] },
    review: { approval: true, next: ['complete', 'implement'] },
    complete: {},
  },
}
