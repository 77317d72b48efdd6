/* A session as a report for a pull request: what was to be done, what is done, what it took, and what is open. */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { AgentsSlice } from '../agents/events.ts'
import type { SessionSlice } from '../session/events.ts'
import type { StepRecord, StepsSlice } from '../steps/events.ts'
import type { Task, TasksSlice } from '../tasks/events.ts'

const MOST = 50
const BAR = 20

export interface Around {
  readonly updated_at: string
  readonly seq: number
  readonly hash: string
  readonly current?: string | undefined
}

export function markdownReport(state: Readonly<Tree>, around: Around): string {
  const session = sliceOf<SessionSlice>(state, 'session')
  const tasks = Object.values(sliceOf<TasksSlice>(state, 'execution.tasks') ?? {})
  const steps = Object.values(sliceOf<StepsSlice>(state, 'steps')?.ledger ?? {})
  const agents = sliceOf<AgentsSlice>(state, 'execution.agents')
  const parts = [
    `## ${escaped(session?.name ?? 'session')}`,
    session?.goal ? `> ${escaped(session.goal)}` : '',
    summary(session, tasks, { steps, around }),
    list(
      'Done',
      tasks.filter(({ status }) => status === 'completed'),
      '- [x] ',
    ),
    list(
      'Open',
      tasks.filter(({ status }) => !['completed', 'cancelled'].includes(status)),
      '- [ ] ',
    ),
    stepTable(steps),
    files(steps),
    failures(steps, agents),
    `<sub>Session \`${session?.id ?? ''}\`, commit ${around.seq}, \`${around.hash.slice(0, 12)}\`, made with Steadfold</sub>`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

interface More {
  readonly steps: readonly StepRecord[]
  readonly around: Around
}

function summary(session: SessionSlice | undefined, tasks: readonly Task[], { steps, around }: More): string {
  const counted = tasks.filter(({ status }) => status !== 'cancelled')
  const done = counted.filter(({ status }) => status === 'completed').length
  const spent = steps.map((step) => step.spent)
  const total = (pick: (cost: StepRecord['spent']) => number) => spent.reduce((all, cost) => all + pick(cost), 0)
  const [tokens, cost] = [total((each) => each.tokens), total((each) => each.cost_usd)]
  const duration = Date.parse(around.updated_at) - Date.parse(session?.created_at ?? around.updated_at)
  const rows: readonly (readonly [string, string])[] = [
    ['Status', statusOf(session) + (around.current === undefined ? '' : `, in \`${around.current}\``)],
    ['Tasks', counted.length === 0 ? '' : `\`${bar(done / counted.length)}\` ${done} of ${counted.length}`],
    [
      'Steps',
      steps.length === 0 ? '' : `${steps.filter(({ result }) => result !== null).length} of ${steps.length} finished`,
    ],
    ['Tokens', tokens === 0 ? '' : tokens.toLocaleString('en-US')],
    ['Cost', cost === 0 ? '' : `$${cost.toFixed(2)}`],
    ['Time', `${lasted(duration)}, to ${around.updated_at.slice(0, 16).replace('T', ' ')} UTC`],
  ]
  return table(
    ['', ''],
    rows.filter(([, said]) => said !== ''),
  )
}

function statusOf(session: SessionSlice | undefined): string {
  const { status, outcome } = session?.lifecycle ?? { status: 'active', outcome: null }
  return outcome ?? (status === 'active' ? 'in progress' : status)
}

const bar = (share: number): string => '█'.repeat(Math.round(share * BAR)).padEnd(BAR, '░')

function list(title: string, tasks: readonly Task[], mark: string): string {
  if (tasks.length === 0) return ''
  const lines = tasks.slice(0, MOST).map(({ title: said, id, status, assignee, block }) => {
    const about = [
      ...(['in_progress', 'review', 'blocked', 'assigned'].includes(status) ? [status.replace('_', ' ')] : []),
      ...(block === null ? [] : [escaped(block.reason)]),
      ...(assignee === null ? [] : [`by ${escaped(assignee)}`]),
    ]
    return `${mark}${escaped(said)} \`${id}\`${about.length === 0 ? '' : ` (${about.join(', ')})`}`
  })
  const more = tasks.length > MOST ? [`- and ${tasks.length - MOST} more`] : []
  return [`### ${title}`, '', ...lines, ...more].join('\n')
}

function stepTable(steps: readonly StepRecord[]): string {
  if (steps.length === 0) return ''
  const rows = steps
    .slice(0, MOST)
    .map(({ name, status, attempts, spent, reused }) => [
      `${code(name)}`,
      status + (attempts > 1 ? `, ${attempts} attempts` : '') + (reused > 0 ? `, kept ${reused}×` : ''),
      lasted(spent.duration_ms),
      spent.tokens === 0 ? '' : spent.tokens.toLocaleString('en-US'),
    ])
  const body = table(['step', 'status', 'time', 'tokens'], rows)
  return ['<details><summary>Steps</summary>', '', body, '', '</details>'].join('\n')
}

function files(steps: readonly StepRecord[]): string {
  const made = new Map(
    steps.flatMap(({ result, name }) => (result?.artifacts ?? []).map(({ path, sha256 }) => [path, { sha256, name }])),
  )
  if (made.size === 0) return ''
  const rows = [...made]
    .slice(0, MOST)
    .map(([path, { sha256, name }]) => [`${code(path)}`, `${code(name)}`, `\`${sha256.slice(0, 12)}\``])
  return ['### Files', '', table(['file', 'made by', 'sha256'], rows)].join('\n')
}

function failures(steps: readonly StepRecord[], agents: AgentsSlice | undefined): string {
  const failed = steps.filter(({ result, failure }) => result === null && failure !== null)
  const gone = (agents?.gone ?? []).filter(({ cause }) => !['finished', 'stopped', 'waiting'].includes(cause))
  const lines = [
    ...failed.map(({ name, failure }) => `- step ${code(name)}: ${escaped(failure?.reason ?? '')}`),
    ...gone.map(({ id, cause, reason }) => `- agent ${code(id)}: ${escaped(reason ?? cause)}`),
  ]
  return lines.length === 0 ? '' : ['### What went wrong', '', ...lines.slice(0, MOST)].join('\n')
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

function lasted(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Of a name: a code span knows no escapes. */
const code = (name: string): string => `\`${name.replaceAll(/[`|\s]+/g, ' ').slice(0, 300)}\``

/** What agents write is text, never markup: no heading, link, image, mention or table of theirs. */
const escaped = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
    .replaceAll(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`)
    .replaceAll(/@(?=\w)/g, '@\u200B')
