/* Why a task is not being worked on: the whole chain, down to what somebody can do something about. */
import type { Tree } from '../../kernel/state/module.ts'
import { endsOf, findCircles, holdingUp, linksInto, nodesOf, sayLink, weakestOf } from './dependency.ts'
import type { Block, OutsideNode, Task } from './events.ts'
import { isReady } from './ready.ts'
import { indexOf, isMet, taskOf, tasksOf } from './tasks.ts'

type State = Readonly<Tree>

/** One item of the chain; those behind it, one deeper, are what it waits for. */
export interface Cause {
  readonly depth: number
  readonly id: string
  readonly title: string | null
  readonly status: string
  readonly waits_for: readonly string[]
  /** In words. */
  readonly why: string
  /** What would help, as a command; null where it only has to be waited for. */
  readonly next: string | null
}

export interface Why {
  readonly task: string
  readonly ready: boolean
  /** In one sentence. */
  readonly because: string
  readonly chain: readonly Cause[]
  /** Where the chain ends: nothing above them moves before they do. */
  readonly roots: readonly string[]
  readonly circle: readonly string[] | null
}

export function explain(root: State, task: Task): Why {
  const chain = chainOf(root, task.id)
  const roots = chain.filter(({ waits_for: waits, depth }) => waits.length === 0 && depth > 0).map(({ id }) => id)
  const { links, circle } = holdingUp(root, task.id)
  return {
    task: task.id,
    ready: isReady(task),
    because: inOneSentence(task, { chain, roots, circle }),
    chain,
    roots,
    circle: circle ? nodesOf(links) : null,
  }
}

interface Found {
  readonly chain: readonly Cause[]
  readonly roots: readonly string[]
  readonly circle: boolean
}

function inOneSentence(task: Task, { chain, roots, circle }: Found): string {
  const own = chain[0]?.why ?? ''
  if (isReady(task) || task.status !== 'pending') return `${task.id} ${own}`
  if (circle) return `${task.id} waits for itself`
  const ends = chain.filter(({ id }) => roots.includes(id)).map(({ id, why }) => `${id} ${why}`)
  return `${task.id} ${own}; in the end ${ends.slice(0, 3).join(', ')}${ends.length > 3 ? ` and ${ends.length - 3} more` : ''}`
}

interface Place {
  readonly id: string
  readonly depth: number
}

/** Depth first, each item once, at the first place where it is met. */
function chainOf(root: State, id: string): readonly Cause[] {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  const moves = circleMoves(root)
  const seen = new Set<string>()
  const chain: Cause[] = []
  const open = [{ id, depth: 0 }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at.id)) continue
    seen.add(at.id)
    const cause = causeOf(root, at, moves)
    chain.push(cause)
    const { depth } = at
    for (const source of cause.waits_for.toReversed())
      if (!isMet(slice, index, source)) open.push({ id: source, depth: depth + 1 })
  }
  return chain
}

function causeOf(root: State, { id, depth }: Place, moves: ReadonlyMap<string, string>): Cause {
  const [slice, index] = [tasksOf(root), indexOf(root)]
  const task = taskOf(slice, id)
  if (task === undefined) return outsideCause(index?.outside[id], id, depth)
  const links = linksInto(index, id).filter(({ source }) => !isMet(slice, index, source))
  const held = links.length > 0 && task.status === 'pending'
  const said = held ? { why: `waits: ${links.map(sayLink).join(', ')}`, next: moves.get(id) ?? null } : ownCause(task)
  const waits_for = held ? links.map(({ source }) => source) : []
  return { depth, id, title: task.title, status: task.status, waits_for, ...said }
}

/** Task in a circle -> what would end it. */
function circleMoves(root: State): ReadonlyMap<string, string> {
  return new Map(
    findCircles(root).flatMap((links) => {
      const weakest = weakestOf(tasksOf(root), links)
      if (weakest === undefined) return []
      const { from, to } = endsOf(weakest.link)
      return links.map(({ waiting }) => [waiting, `steadfold dependency break ${from} ${to}`] as const)
    }),
  )
}

interface Said {
  readonly why: string
  readonly next: string | null
}

function ownCause({ id, status, assignee, block, claim }: Task): Said {
  const who = `${assignee ?? 'somebody'}${claim === null ? '' : ` until ${new Date(claim.expires).toISOString()}`}`
  switch (status) {
    case 'pending':
      return { why: 'is ready, and nobody has claimed it', next: `steadfold task claim ${id}` }
    case 'assigned':
      return { why: `is claimed by ${who}, not started`, next: null }
    case 'in_progress':
      return { why: `is being worked on by ${who}`, next: null }
    case 'review':
      return { why: 'waits for a review', next: `steadfold task done ${id}` }
    case 'completed':
      return { why: 'is completed', next: null }
    case 'cancelled':
      return { why: 'was cancelled', next: `steadfold task retry ${id}` }
    case 'blocked':
      return block === null ? { why: 'is blocked', next: null } : blockedCause(id, block)
  }
}

const blockedCause = (id: string, { kind, reason, actor }: Block): Said =>
  kind === 'failed'
    ? { why: `failed: ${reason}`, next: `steadfold task retry ${id}` }
    : { why: `is blocked by ${actor}: ${reason}`, next: `steadfold task unblock ${id}` }

function outsideCause(node: OutsideNode | undefined, id: string, depth: number): Cause {
  const status = node?.status ?? 'unavailable'
  return {
    depth,
    id,
    title: null,
    status,
    waits_for: [],
    why: `is ${status}`,
    next: `steadfold dependency tell ${id} available`,
  }
}
