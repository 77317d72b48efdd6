/* What happened last, as people who watch want it: one entry an event, with how much it matters. */
import type { Commit } from '../../kernel/log/commit.ts'

export const MOST_RECENT = 100

export type Severity = 'debug' | 'info' | 'warning' | 'error' | 'critical'

export interface RecentEvent {
  /** UUID: that of the commit for its first event, and one made from it for each other. */
  readonly id: string
  readonly timestamp: string
  readonly type: string
  /** Who asked. */
  readonly source: string
  readonly severity: Severity
  readonly data: unknown
  readonly correlation_id: string | null
  readonly session_id: string
}

/** The last ones, oldest first. */
export function recentEvents(commits: readonly Commit[], session: string): readonly RecentEvent[] {
  return commits
    .slice(-MOST_RECENT)
    .flatMap(({ id, at, actor, cause, events }) =>
      events.map(({ type, data }, i) => ({
        id: numbered(id, i),
        timestamp: at,
        type,
        source: actor,
        severity: severityOf(type, data),
        data,
        correlation_id: textIn(data, 'correlation_id') ?? cause,
        session_id: session,
      })),
    )
    .slice(-MOST_RECENT)
}

const LEVELS: readonly (readonly [Severity, RegExp])[] = [
  ['debug', /\.(heartbeat-received|renewed|lease-renewed|sampled|adopted)$/],
  ['error', /\.(failed|died|breaker-opened)$/],
  [
    'warning',
    /\.(parked|blocked|denied|rejected|expired|lease-ended|wait-ended|limit-reached|violated|recovered|repaired|broken|transition-abandoned)$/,
  ],
]

/** Causes for which an agent, or a claim, ends as it should. */
const WELL: ReadonlySet<string | undefined> = new Set(['finished', 'stopped', 'released', 'handed-over'])

export function severityOf(type: string, data: unknown): Severity {
  if (type === 'message.sent' && textIn(data, 'channel') === 'emergency') return 'critical'
  if (type === 'agent.removed' || type === 'task.returned') return WELL.has(textIn(data, 'cause')) ? 'info' : 'warning'
  return LEVELS.find(([, pattern]) => pattern.test(type))?.[0] ?? 'info'
}

function textIn(data: unknown, member: string): string | undefined {
  const value = typeof data === 'object' && data !== null ? Reflect.get(data, member) : undefined
  return typeof value === 'string' ? value : undefined
}

/** The last four digits, moved on by `by`. */
function numbered(id: string, by: number): string {
  if (by === 0) return id
  const last = (Number.parseInt(id.slice(-4), 16) + by) % 0x10000
  return id.slice(0, -4) + last.toString(16).padStart(4, '0')
}
