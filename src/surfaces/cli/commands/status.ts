/** The inbox: what needs a person comes first, each line with its age and the command that answers it. */
import type { RecoveryPlan } from '../../../kernel/recovery.ts'
import type { Session } from '../../../kernel/session.ts'
import type { App } from '../app.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { isOn } from '../input.ts'
import { quoted } from '../scope.ts'
import { ago, columns, cut, dollars, plain, thousands } from '../text.ts'
import { viewOf, type SessionView, type StepView } from '../view.ts'

interface Need {
  readonly kind: 'DAMAGED' | 'LOST' | 'GATE' | 'PARKED' | 'UNFINISHED' | 'STOPPED' | 'FAILED'
  readonly session: string
  readonly name: string
  readonly what: string
  readonly why: string
  /** ISO 8601. */
  readonly since: string
  readonly next: string
}

/** What blocks comes before what broke. */
const ORDER: readonly Need['kind'][] = ['DAMAGED', 'GATE', 'PARKED', 'LOST', 'UNFINISHED', 'STOPPED', 'FAILED']

export const status: Command<App> = {
  name: 'status',
  summary: 'what needs you, and what is going on',
  examples: ['status', 'status --all', 'status --session build-auth --json'],
  parameters: [],
  flags: [{ name: 'all', short: 'a', field: 'all', type: 'boolean', summary: 'ended and suspended sessions, too' }],
  shares: ['session'],
  run: async (context, input) => {
    const needs: Need[] = []
    const views: SessionView[] = []
    for await (const session of chosen(context)) {
      const view = viewOf(session)
      views.push(view)
      needs.push(...needsOf(view, await planOf(context, session, view)))
      if (context.askedSession === undefined) await session.close()
    }
    needs.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    const groups = grouped(views, needs, isOn(input, 'all') || context.askedSession !== undefined)
    const data = {
      needs_you: needs,
      working: groups.working.map(summary),
      idle: groups.idle.map(summary),
      other: groups.other.map(summary),
    }
    return { data, text: () => statusText(context, needs, groups) }
  },
}

async function* chosen(context: Context<App>): AsyncGenerator<Session> {
  if (context.askedSession !== undefined) yield await context.session('read')
  else yield* (await context.workspace()).sessions()
}

const planOf = async (
  context: Context<App>,
  session: Session,
  { status: state }: SessionView,
): Promise<RecoveryPlan | undefined> => (state === 'damaged' ? undefined : context.app.recovery.plan(session))

function needsOf(view: SessionView, lost: RecoveryPlan | undefined): readonly Need[] {
  const { id, name, updated_at } = view
  const of = { session: id, name }
  const s = quoted(name)
  if (view.status === 'damaged')
    return [
      {
        ...of,
        kind: 'DAMAGED',
        what: 'log',
        why: 'its log is damaged',
        since: updated_at,
        next: `steadfold verify --session ${s}`,
      },
    ]
  if (view.status === 'terminated') return []
  const own = view.steps.flatMap((step) => stepNeed(view, step))
  const steps = [...unfinished(view), ...own, ...(own.length === 0 ? broken(view) : [])]
  if (lost === undefined) return [...stopped(view), ...steps]
  return [
    {
      ...of,
      kind: 'LOST',
      what: lost.holder,
      why: lost.evidence.join('; '),
      since: lost.last_seen,
      next: `steadfold recover ${s}`,
    },
    ...steps,
  ]
}

/** A transition between intent and outcome: somebody says how it goes on. */
function unfinished({ id, name, workflow }: SessionView): readonly Need[] {
  const { intent = null, error = null } = workflow ?? {}
  if (intent === null) return []
  const what = `${intent.from} → ${intent.to}`
  const why = error?.reason ?? `begun by ${intent.actor}`
  const next = `steadfold workflow transition --resume --session ${quoted(name)}`
  return [{ session: id, name, kind: 'UNFINISHED', what, why, since: intent.at, next }]
}

/** A state whose work failed, without a step that says so. */
function broken({ id, name, workflow, holder }: SessionView): readonly Need[] {
  const { intent = null, error = null } = workflow ?? {}
  if (error === null || intent !== null || holder !== null) return []
  const next = `steadfold workflow retry --session ${quoted(name)}`
  return [{ session: id, name, kind: 'FAILED', what: `state ${error.state}`, why: error.reason, since: error.at, next }]
}

/** Steps under way while nobody holds the session: their runner was stopped, or recovered from. Running it again goes on. */
function stopped({ id, name, updated_at, holder, workflow, steps }: SessionView): readonly Need[] {
  const left = steps.filter((step) => step.status === 'running' && !step.gate && !isHandler(workflow, step))
  if (holder !== null || workflow === null || left.length === 0) return []
  const names = left.map((step) => step.name).join(', ')
  const next = `steadfold run --session ${quoted(name)}`
  return [{ session: id, name, kind: 'STOPPED', what: names, why: 'nobody runs it', since: updated_at, next }]
}

/** A failure that the workflow has gone on from, because enough of its state succeeded or it has a way out, needs nobody. */
function stepNeed({ id, name, updated_at, holder, workflow }: SessionView, step: StepView): readonly Need[] {
  const of = { session: id, name, since: step.finished_at ?? step.started_at ?? updated_at }
  const release = `steadfold step release ${quoted(step.name)} --session ${quoted(name)}`
  if (step.status === 'parked') {
    return [
      {
        ...of,
        kind: step.gate ? 'GATE' : 'PARKED',
        what: step.gate ? step.name : `step ${step.name}`,
        why: step.reason ?? '',
        next: release,
      },
    ]
  }
  const isBehind = step.state !== null && workflow !== null && step.state !== workflow.current
  if (step.status !== 'failed' || holder !== null || isBehind || isHandler(workflow, step)) return []
  return [
    {
      ...of,
      kind: 'FAILED',
      what: `step ${step.name}`,
      why: step.reason ?? '',
      next: `steadfold step retry ${quoted(step.name)} --session ${quoted(name)}`,
    },
  ]
}

/** The command of the unfinished transition, which is shown itself. */
const isHandler = (workflow: SessionView['workflow'], { name }: StepView): boolean => workflow?.intent?.handler === name

interface Groups {
  readonly working: readonly SessionView[]
  readonly idle: readonly SessionView[]
  /** Ended and suspended; only when asked for. */
  readonly other: readonly SessionView[]
  readonly hidden: number
}

function grouped(views: readonly SessionView[], needs: readonly Need[], all: boolean): Groups {
  const lost = new Set(needs.filter(({ kind }) => kind === 'LOST' || kind === 'DAMAGED').map(({ session }) => session))
  const active = views.filter(
    ({ id, status: state }) => state !== 'terminated' && state !== 'suspended' && !lost.has(id),
  )
  const other = views.filter(({ status: state }) => state === 'terminated' || state === 'suspended')
  return {
    working: active.filter(({ holder }) => holder !== null),
    idle: active.filter(({ holder }) => holder === null),
    other: all ? other : [],
    hidden: all ? 0 : other.length,
  }
}

function summary({ steps, ...view }: SessionView) {
  // What ran beside the workflow, by `once`, is no step of it.
  const counted = steps.filter(({ gate, state }) => !gate && (view.workflow === null || state !== null))
  const by = (status: string) => counted.filter((step) => step.status === status).length
  return {
    ...view,
    steps: {
      total: view.workflow?.steps ?? counted.length,
      finished: by('finished'),
      running: by('running'),
      failed: by('failed'),
      parked: by('parked'),
    },
  }
}

function statusText(context: Context, needs: readonly Need[], { working, idle, other, hidden }: Groups): string {
  const { paint } = context
  const now = Date.now()
  const group = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${paint.bold(title)} (${lines.length})`, ...lines]
  const quiet = needs.length + working.length + idle.length + other.length === 0
  const lines = [
    ...group('NEEDS YOU', needLines(context, needs, now)),
    ...group('WORKING', sessionLines(context, working, now)),
    ...group('IDLE', sessionLines(context, idle, now)),
    ...group('OTHER', sessionLines(context, other, now)),
    ...(quiet ? [`nothing to do${hidden === 0 ? '; begin with: steadfold session create NAME' : ''}`] : []),
    ...(hidden === 0 ? [] : [paint.dim(`${hidden} ended or suspended; steadfold status --all`)]),
  ]
  return lines.join('\n')
}

/** The command goes on a line of its own where it does not fit. */
function needLines({ paint, io }: Context, needs: readonly Need[], now: number): readonly string[] {
  const rows = needs.map(({ kind, name, what, why, since }) => [
    kind,
    plain(name),
    cut(plain(what), 24),
    cut(plain(why), 34),
    ago(since, now).replace(' ago', ''),
  ])
  const lines = columns(rows, { indent: '  ', right: [4] })
  const dye = (kind: Need['kind']) => (kind === 'GATE' || kind === 'PARKED' ? paint.yellow : paint.red)
  return lines.map((line, i) => {
    const need = needs[i]
    if (need === undefined) return line
    const shown = line.replace(need.kind, dye(need.kind)(need.kind))
    const wide = line.length + need.next.length + 3 <= io.width
    return wide ? `${shown}   ${paint.dim(need.next)}` : `${shown}\n           ${paint.dim(need.next)}`
  })
}

function sessionLines({ io, paint }: Context, views: readonly SessionView[], now: number): readonly string[] {
  const rows = views.map((view) => {
    const { steps } = summary(view)
    const done = steps.total === 0 ? '' : `${steps.finished}/${steps.total} steps`
    const running = steps.running === 0 ? '' : `${steps.running} running`
    return [
      plain(view.name),
      view.workflow?.current ?? '',
      done,
      running,
      `seq ${thousands(view.seq)}`,
      dollars(view.cost_usd),
      view.status === 'active' ? '' : view.status,
      ago(view.updated_at, now),
    ]
  })
  // A column that is empty everywhere takes no room.
  const used = rows[0]?.map((_, i) => rows.some((row) => row[i] !== '')) ?? []
  const lines = columns(
    rows.map((row) => row.filter((_, i) => used[i] === true)),
    { indent: '  ', width: io.width },
  )
  return lines.map((line, i) => line.replace(plain(views[i]?.name ?? ''), (name) => paint.bold(name)))
}
