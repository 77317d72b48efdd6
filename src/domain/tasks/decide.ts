/* What may happen to a task in which status: K1–K4, K7 of tasks.ts. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { Task, TaskEvent, TaskStatus } from './events.ts'
import { fullTeams, memberFull, noApproval, noRoom, teamFull } from './limits.ts'
import { isReady, nextIds, type Filter } from './ready.ts'
import { indexOf, isMet, taskOf, tasksOf } from './tasks.ts'

export type Decided = Accepted<TaskEvent> | Refusal
type State = Readonly<Tree>

export type Verb = 'start' | 'renew' | 'release' | 'submit' | 'done' | 'fail' | 'block' | 'unblock' | 'retry' | 'cancel'

/** `held`: by whoever holds the claim; `go`: by anybody; `same`: nothing is left for them to do; `no`: not from here. */
export type Rule = 'held' | 'go' | 'same' | 'no'

const RULES: Readonly<Record<Verb, Readonly<Record<TaskStatus, Rule>>>> = {
  start: rules('no', 'held', 'same', 'no', 'no', 'no', 'no'),
  renew: rules('no', 'held', 'held', 'no', 'no', 'no', 'no'),
  release: rules('no', 'held', 'held', 'no', 'no', 'no', 'no'),
  submit: rules('no', 'no', 'held', 'same', 'no', 'no', 'no'),
  done: rules('no', 'held', 'held', 'go', 'same', 'no', 'no'),
  fail: rules('no', 'held', 'held', 'go', 'no', 'no', 'no'),
  block: rules('go', 'go', 'go', 'go', 'no', 'same', 'no'),
  unblock: rules('same', 'no', 'no', 'no', 'no', 'go', 'no'),
  retry: rules('same', 'no', 'no', 'go', 'no', 'go', 'go'),
  cancel: rules('go', 'go', 'go', 'go', 'no', 'go', 'same'),
}

/** Of a claim that says nothing else. */
export const LEASE_MS = 15 * 60_000

/** So many times as many are looked at, when none of the first ones may be claimed. */
const MORE = 8

/** What only makes sense while a claim holds. */
const BY_HOLDER: ReadonlySet<Verb> = new Set(['start', 'renew', 'release', 'submit', 'done', 'fail'])

const MOVES: Readonly<Record<TaskStatus, readonly string[]>> = {
  pending: ['claim', 'block', 'cancel'],
  assigned: ['start', 'done', 'fail', 'release', 'block', 'cancel'],
  in_progress: ['submit', 'done', 'fail', 'release', 'block', 'cancel'],
  review: ['done', 'retry', 'fail', 'block', 'cancel'],
  completed: [],
  blocked: ['unblock', 'cancel'],
  cancelled: ['retry'],
}

/** One for each status, in the order of their type. */
type Columns = readonly [Rule, Rule, Rule, Rule, Rule, Rule, Rule]

function rules(...columns: Columns): Readonly<Record<TaskStatus, Rule>> {
  const [pending, assigned, in_progress, review, completed, blocked, cancelled] = columns
  return { pending, assigned, in_progress, review, completed, blocked, cancelled }
}

export interface Of {
  readonly task: string
  readonly token?: number | undefined
}

interface Claim extends Filter {
  readonly task?: string | undefined
  readonly any: boolean
  readonly ttl_ms: number
}

/** K1, K4. */
export function decideClaim(root: State, input: Claim, { now, seq, actor }: Context): Decided {
  const { task: id, any, ttl_ms } = input
  if (any === (id !== undefined))
    return refuse('INPUT_INVALID', 'name one task, or take the first that is ready', {
      hint: 'steadfold task claim --any',
    })
  const full = fullTeams(root)
  const task = id === undefined ? firstReady(root, input, full) : taskOf(tasksOf(root), id)
  if (task === undefined) return id === undefined ? nothingReady() : notFound(id)
  const busy = noRoom(root, actor) ?? memberFull(root, actor)
  const refusal = notClaimable(root, task) ?? busy ?? (isOf(full, task) ? teamFull(task) : undefined)
  return (
    refusal ?? accept({ type: 'task.claimed', data: { id: task.id, token: seq, holder: actor, expires: now + ttl_ms } })
  )
}

/** K4, K11: the first whose team takes it; where none does, the first. */
function firstReady(root: State, filter: Filter, full: ReadonlySet<string>): Task | undefined {
  for (let count = 1; ; count *= MORE) {
    const ready = readyTasks(root, count, filter)
    const free = ready.find((task) => !isOf(full, task))
    if (free !== undefined || ready.length < count) return free ?? ready[0]
  }
}

const isOf = (teams: ReadonlySet<string>, { context }: Task): boolean =>
  context.team !== undefined && teams.has(context.team)

/** K4: of those that fit the filter, the first ones. */
export function readyTasks(root: State, limit: number, filter: Filter = {}): readonly Task[] {
  const index = indexOf(root)
  if (index === undefined) return []
  const slice = tasksOf(root)
  const known = (id: string) => taskOf(slice, id)
  return nextIds(index, filter, limit, known).flatMap((id) => known(id) ?? [])
}

export function decideStart(root: State, input: Of, context: Context): Decided {
  return admitted(root, { verb: 'start', ...input }, context, ({ id }) =>
    accept({ type: 'task.started', data: { id } }),
  )
}

export function decideRenew(root: State, input: Of & { readonly ttl_ms: number }, context: Context): Decided {
  return admitted(root, { verb: 'renew', ...input }, context, ({ id, token }) =>
    accept({ type: 'task.renewed', data: { id, token: token ?? 0, expires: context.now + input.ttl_ms } }),
  )
}

export function decideRelease(root: State, input: Of, context: Context): Decided {
  return admitted(root, { verb: 'release', ...input }, context, ({ id, token }) =>
    accept({ type: 'task.returned', data: { id, token: token ?? 0, cause: 'released' } }),
  )
}

export function decideSubmit(root: State, input: Of, context: Context): Decided {
  return admitted(root, { verb: 'submit', ...input }, context, ({ id }) =>
    accept({ type: 'task.submitted', data: { id } }),
  )
}

interface Done extends Of {
  readonly effort?: number | undefined
  readonly artifacts: readonly string[]
}

export function decideDone(root: State, input: Done, context: Context): Decided {
  return admitted(root, { verb: 'done', ...input }, context, (task) => {
    const refusal = noApproval(root, task, context.actor)
    if (refusal !== undefined) return refusal
    const artifacts = input.artifacts.filter((each) => !task.artifacts.includes(each))
    return accept({ type: 'task.completed', data: { id: task.id, actual_effort: input.effort ?? null, artifacts } })
  })
}

interface WithReason extends Of {
  readonly reason: string
}

export function decideFail(root: State, input: WithReason, context: Context): Decided {
  const { reason } = input
  return admitted(root, { verb: 'fail', ...input }, context, ({ id }) =>
    accept({ type: 'task.failed', data: { id, reason } }),
  )
}

export function decideBlock(root: State, input: WithReason, context: Context): Decided {
  const { reason } = input
  return admitted(root, { verb: 'block', ...input }, context, ({ id }) =>
    accept({ type: 'task.blocked', data: { id, reason } }),
  )
}

export function decideUnblock(root: State, input: Of, context: Context): Decided {
  return admitted(root, { verb: 'unblock', ...input }, context, ({ id, block }) =>
    block?.kind === 'failed'
      ? refuse('TASK_STATUS_INVALID', `task "${id}" failed: ${block.reason}`, { hint: `steadfold task retry ${id}` })
      : accept({ type: 'task.unblocked', data: { id } }),
  )
}

export function decideRetry(root: State, input: Of, context: Context): Decided {
  return admitted(root, { verb: 'retry', ...input }, context, ({ id, block }) =>
    block?.kind === 'held'
      ? refuse('TASK_STATUS_INVALID', `task "${id}" is held up: ${block.reason}`, {
          hint: `steadfold task unblock ${id}`,
        })
      : accept({ type: 'task.retried', data: { id } }),
  )
}

export function decideCancel(
  root: State,
  input: Of & { readonly reason?: string | undefined },
  context: Context,
): Decided {
  return admitted(root, { verb: 'cancel', ...input }, context, ({ id }) =>
    accept({ type: 'task.cancelled', data: { id, reason: input.reason ?? null } }),
  )
}

function admitted(
  root: State,
  { verb, task: id, token }: Of & { readonly verb: Verb },
  { actor }: Context,
  decide: (task: Task) => Decided,
): Decided {
  const task = taskOf(tasksOf(root), id)
  if (task === undefined) return notFound(id)
  const rule = RULES[verb][task.status]
  if (token !== undefined && token !== task.token) return claimOver(task, token)
  const theirs = token !== undefined || task.claim?.holder === actor
  switch (rule) {
    case 'same':
      return theirs || task.claim === null ? accept() : heldByAnother(task)
    case 'no':
      return notFrom(task, verb, token)
    case 'go':
      return decide(task)
    case 'held':
      return theirs ? decide(task) : heldByAnother(task)
  }
}

const notFrom = (task: Task, verb: Verb, token: number | undefined): Refusal =>
  token !== undefined && task.claim === null && BY_HOLDER.has(verb)
    ? claimOver(task, token)
    : misplaced(task, verb === 'done' ? 'complete' : verb)

function notClaimable(root: State, task: Task): Refusal | undefined {
  if (isReady(task)) return undefined
  if (task.claim !== null) return heldByAnother(task)
  if (task.status !== 'pending') return misplaced(task, 'claim')
  const index = indexOf(root)
  const waits = task.dependencies.filter((node) => !isMet(tasksOf(root), index, node))
  return refuse('TASK_NOT_READY', `task "${task.id}" waits for ${waits.join(', ')}`, {
    hint: `steadfold task why ${task.id}`,
    details: { task: task.id, waits_for: waits },
  })
}

const nothingReady = (): Refusal =>
  refuse('TASK_NOT_READY', 'no task is ready to be claimed', { hint: 'steadfold task list' })

/** K2. */
function claimOver({ id, status, token: current, claim }: Task, token: number): Refusal {
  const now = claim === null ? `the task is ${status}` : `${claim.holder} holds it with token ${current ?? 'none'}`
  return refuse('LEASE_LOST', `claim ${token} of task "${id}" is over: ${now}`, {
    hint: 'drop the result, or claim the task again',
    details: { task: id, token, current, status },
  })
}

function heldByAnother({ id, claim, token }: Task): Refusal {
  const holder = claim?.holder ?? 'nobody'
  return refuse('LEASE_HELD', `task "${id}" is held by ${holder}`, {
    hint: 'steadfold task claim --any takes another; whoever holds it passes --token',
    details: { task: id, holder, token, expires: claim?.expires ?? null },
  })
}

/** `what` could not be done to it, as a sentence says it. */
export function misplaced({ id, status, block }: Task, what: string): Refusal {
  const moves = block?.kind === 'failed' ? ['retry', 'cancel'] : MOVES[status]
  const next = moves[0] === undefined ? 'steadfold task add TITLE' : `steadfold task ${moves[0]} ${id}`
  const allowed = moves.length === 0 ? 'it stays so' : `allowed from ${status}: ${moves.join(', ')}`
  return refuse('TASK_STATUS_INVALID', `cannot ${what} task "${id}", which is ${status}; ${allowed}`, {
    hint: next,
    details: { task: id, status, allowed: moves },
  })
}

export const notFound = (id: string): Refusal => refuse('NOT_FOUND', `no task "${id}"`, { hint: 'steadfold task list' })
