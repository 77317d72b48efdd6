/* I1 and I2 of kernel/care/inbox.ts. */
import { OVER } from '../../kernel/about-session.ts'
import {
  NEED_KINDS,
  type Glance,
  type Inbox,
  type InboxOptions,
  type Need,
  type NeedKind,
  type Seen,
  type SessionRow,
} from '../../kernel/care/inbox.ts'
import { isResting } from '../session/events.ts'
import { command, type Found, type Looked } from './need.ts'
import { agentNeeds } from './needs-agents.ts'
import { channelNeeds } from './needs-channels.ts'
import { damage, isLost, lifeNeeds } from './needs-life.ts'
import { mailNeeds } from './needs-mail.ts'
import { supervisionNeeds } from './needs-supervision.ts'
import { teamNeeds } from './needs-team.ts'
import { workNeeds } from './needs-work.ts'
import { rowOf } from './row.ts'

/** Everything about one session; nobody has to do with one that ended, or goes on elsewhere. */
export function glance(seen: Seen, now: number): Glance {
  const row = rowOf(seen, now)
  const looked: Looked = { seen, name: row.name, now }
  const found = row.status === 'damaged' ? damage(looked) : OVER.has(row.status) ? [] : answerable(looked, row)
  const lost = row.status === 'damaged' || isLost(looked)
  return { row, lost, needs: found.map((need) => ({ ...needOf(need, row), age_ms: ageOf(need, now) })) }
}

/** What needs a person first, in the order of kinds and the oldest first; then what goes on. */
export function inbox(glances: readonly Glance[], { all = false, more = [] }: InboxOptions = {}): Inbox {
  const needs = [...glances.flatMap((each) => each.needs), ...more]
  const away = glances.filter(isAway).map(({ row }) => row)
  const here = glances.filter((each) => !isAway(each) && !each.lost).map(({ row }) => row)
  const rest = here.filter((row) => !isWorking(row))
  return {
    needs_you: needs.toSorted((a, b) => rankOf(a) - rankOf(b) || b.age_ms - a.age_ms),
    working: here.filter(isWorking),
    done: rest.filter(isDone),
    idle: rest.filter((row) => !isDone(row)),
    other: all ? away : [],
    hidden: all ? 0 : away.length,
  }
}

/** What is told of lost ones and of what is over is answered whatever the session takes. */
const ALWAYS: ReadonlySet<NeedKind> = new Set(['LOST', 'EXPIRED'])

/** Where the session takes no work, what lets it go on comes before any other answer. */
function answerable(looked: Looked, row: SessionRow): readonly Found[] {
  const first = wakes(looked, row)
  const needs = needsOf(looked)
  return first === undefined ? needs : needs.map((need) => (ALWAYS.has(need.kind) ? need : { ...need, next: first }))
}

function wakes(looked: Looked, row: SessionRow): string | undefined {
  if (isResting(row)) return command(looked, 'session', 'resume')
  return row.status === 'terminating' ? command(looked, 'session', 'extend', '8') : undefined
}

const needsOf = (looked: Looked): readonly Found[] => [
  ...lifeNeeds(looked),
  ...workNeeds(looked),
  ...supervisionNeeds(looked),
  ...teamNeeds(looked),
  ...channelNeeds(looked),
  ...mailNeeds(looked),
  ...agentNeeds(looked),
]

const needOf = ({ kind, what, why, since, next }: Found, { id, name }: SessionRow): Omit<Need, 'age_ms'> => ({
  kind,
  session: id,
  name,
  what,
  why,
  since,
  next,
})

/** 0 where the clock stands before the log. */
const ageOf = ({ since }: Found, now: number): number => Math.max(0, now - (Date.parse(since) || now))

const rankOf = ({ kind }: Need): number => NEED_KINDS.indexOf(kind)

const isAway = ({ row }: Glance): boolean => OVER.has(row.status) || row.status === 'suspended'

const isWorking = ({ holder, agents }: SessionRow): boolean => holder !== null || agents > 0

const isDone = ({ workflow }: SessionRow): boolean => workflow?.finished === true
