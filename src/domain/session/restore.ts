/*
 * Setting the state back: the difference between now and then, as changes that a commit can carry.
 *
 * R1. `session`, `steps`, `supervision`, `communication`, `turns`, `conversation`, `activity` and `execution.agents` stay: who is
 *     there and holds what, what was paid for and what was said cannot be undone.
 *     So does what steps have handed back, as O5 of outputs wants it: who does not run again hands nothing back again.
 * R2. Members stand in the order in which they stood: the stages of a workflow come in the order of its steps.
 * R3. The difference is that from the state as it is stored. What time has ended since, and nobody has told, is told by the
 *     operation behind the restore: before it, it would change what the difference was counted from.
 * R4. Nobody has a claim again that is over, nor less time than it has: a claim that stands then and now goes on as it is now,
 *     and what was claimed then by another token waits. So the tokens of a task grow, whatever is set back.
 * R5. The names of tasks are counted on: what was said of one that is set away, such as a handoff, is of no other.
 * R6. What is more than one commit can carry is refused whole: a copy of the session that goes on from there has it all.
 */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { diff } from '../../kernel/history/diff.ts'
import { checkJson } from '../../kernel/json/json.ts'
import { isMembers } from '../../kernel/json/members.ts'
import { formatPath, getAt, parsePath, type Keys } from '../../kernel/path/path.ts'
import type { Container, Edit } from '../../kernel/state/edit.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import { removeAt, setAt } from '../../kernel/state/write-path.ts'
import type { StepsSlice } from '../steps/events.ts'
import { emptyIndex, type TaskEvent, type TaskIndex, type TasksSlice } from '../tasks/events.ts'

export type Change =
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown }
  | { readonly kind: 'removed'; readonly path: string }
  /** The members of an object, in their order. */
  | { readonly kind: 'ordered'; readonly path: string; readonly keys: readonly string[] }

const KEPT: ReadonlySet<string> = new Set([
  'session',
  'steps',
  'supervision',
  'communication',
  'turns',
  'conversation',
  'activity',
])

export function changesBack(now: Readonly<Tree>, then: Readonly<Tree>): readonly Change[] {
  const isHandedBack = handedBackIn(now)
  const hasTasks = sliceOf<TaskIndex>(now, 'execution.task_index') !== undefined
  const staying = { isHandedBack, hasTasks }
  const [before, after] = [free(now, staying), free(then, staying)]
  const changes = diff(before, after).map((change): Change => {
    const path = formatPath(change.path)
    return change.kind === 'removed' ? { kind: 'removed', path } : { kind: 'set', path, value: change.after }
  })
  // Items are removed from the end of a list first, so that the places before them stay.
  const removed = changes.filter(({ kind }) => kind === 'removed').reverse()
  return [...removed, ...changes.filter(({ kind }) => kind === 'set'), ...ordersBack(before, after, [])]
}

/** R6 */
export function tooMuch(to: string, changes: readonly Change[], session: string): Refusal | undefined {
  try {
    checkJson({ to, changes })
    return undefined
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const what = error.code === 'VALUE_TOO_DEEP' ? 'nested deeper than one commit can carry' : 'too much for one commit'
    return refuse(error.code, `what is to come back from commit ${to} is ${what}`, {
      hint: `steadfold session fork ${session} NAME --at ${to}, and go on there`,
    })
  }
}

/** A claim that stands in the state which comes back: its end now, or null where it is over. */
export interface Claimed {
  readonly id: string
  readonly token: number
  readonly expires: number | null
}

/** R4: those that are not now as they were then. */
export function claimsBack(now: Readonly<Tree>, then: Readonly<Tree>): readonly Claimed[] {
  const tasks = tasksIn(now)
  return Object.values(tasksIn(then)).flatMap(({ id, token, claim }) => {
    const task = Object.hasOwn(tasks, id) ? tasks[id] : undefined
    if (claim === null || token === null) return []
    const expires = task?.token === token ? (task.claim?.expires ?? null) : null
    return expires === claim.expires ? [] : [{ id, token, expires }]
  })
}

const tasksIn = (root: Readonly<Tree>): TasksSlice => sliceOf<TasksSlice>(root, 'execution.tasks') ?? {}

/** Told behind what comes back. */
export const settled = ({ id, token, expires }: Claimed): TaskEvent =>
  expires === null
    ? { type: 'task.returned', data: { id, token, cause: 'restored' } }
    : { type: 'task.renewed', data: { id, token, expires } }

/** R2: of objects that are there now and then, below the slices. */
function ordersBack(now: unknown, then: unknown, at: Keys): readonly Change[] {
  if (now === then) return []
  if (Array.isArray(now) && Array.isArray(then)) return then.flatMap((each, i) => ordersBack(now[i], each, [...at, i]))
  if (!isMembers(now) || !isMembers(then)) return []
  const keys = Object.keys(then)
  const isPart = at.length > 1 || (at.length === 1 && at[0] !== 'execution')
  const here = isPart && JSON.stringify(keys) !== JSON.stringify(afterwards(now, then))
  const below = keys.flatMap((key) => ordersBack(now[key], then[key], [...at, key]))
  return here ? [{ kind: 'ordered', path: formatPath(at), keys }, ...below] : below
}

/** The names that an object has when what is missing was added in the order of `diff`. */
function afterwards(now: Readonly<Tree>, then: Readonly<Tree>): readonly string[] {
  const stay = Object.keys(now).filter((key) => Object.hasOwn(then, key))
  const come = Object.keys(then).filter((key) => !Object.hasOwn(now, key))
  // Names that are numbers come first in any object.
  return Object.keys(Object.fromEntries([...stay, ...come.toSorted()].map((key) => [key, 0])))
}

export function applyBack(root: Container, changes: readonly Change[], edit: Edit): void {
  for (const change of changes) {
    const keys = parsePath(change.path)
    if (change.kind === 'removed') removeAt(root, keys, edit)
    else if (change.kind === 'ordered') order(root, keys, change.keys, edit)
    else setAt(root, keys, edit.own(change.value), edit)
  }
}

/** By a copy, so that it can be taken back. */
function order(root: Container, at: Keys, names: readonly string[], edit: Edit): void {
  const known = getAt(root, at)
  if (!isMembers(known)) return
  const first = names.filter((name) => Object.hasOwn(known, name)).map((name) => [name, known[name]])
  setAt(root, at, { ...Object.fromEntries(first), ...known }, edit)
}

type Test = (name: string) => boolean

interface Staying {
  readonly isHandedBack: Test
  readonly hasTasks: boolean
}

function free(tree: Readonly<Tree>, { isHandedBack, hasTasks }: Staying): Tree {
  const slices = Object.fromEntries(Object.entries(tree).filter(([slice]) => !KEPT.has(slice)))
  const { execution, outputs } = tree
  // There in both trees, even when empty: so what is different lies below it, and the rest beside that stays.
  return {
    ...slices,
    execution: freeExecution(isMembers(execution) ? execution : {}, hasTasks),
    outputs: isMembers(outputs) ? without(outputs, isHandedBack) : {},
  }
}

function freeExecution(execution: Tree, hasTasks: boolean): Tree {
  const own = without(execution, (name) => name === 'agents')
  if (!hasTasks) return own
  const { task_index: index } = own
  // R5
  return { ...own, task_index: without(isMembers(index) ? index : { ...emptyIndex() }, (name) => name === 'added') }
}

/** Outputs that work of the ledger has handed back, or is about to: it imports them before it is over. */
function handedBackIn(now: Readonly<Tree>): Test {
  const { ledger = {}, names = {} } = sliceOf<StepsSlice>(now, 'steps') ?? {}
  const all = Object.values(ledger).filter(({ state }) => state !== null)
  const known = Object.entries(names).flatMap(([name, key]) =>
    ledger[key]?.state == null ? [] : [{ ...ledger[key], name }],
  )
  const done = new Set(
    [...all, ...known].flatMap(({ name, result }) =>
      Object.keys(result?.outputs ?? {}).map((each) => `${name}.${each}`),
    ),
  )
  const running = all.filter(({ status }) => status === 'running').map(({ name }) => `${name}.`)
  return (name) => done.has(name) || running.some((prefix) => name.startsWith(prefix))
}

const without = (tree: Tree, isLeftOut: Test): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([key]) => !isLeftOut(key)))
