/* K5: edges that are added, and taken away by somebody's word. */
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { misplaced, notFound, type Decided } from './decide.ts'
import {
  chainBetween,
  endsOf,
  holdingUp,
  isNode,
  linkBetween,
  linksInto,
  nodesOf,
  sayLink,
  weakestOf,
  type Link,
} from './dependency.ts'
import type { EdgeType } from './events.ts'
import { indexOf, taskOf, tasksOf } from './tasks.ts'

type State = Readonly<Tree>

interface Ends {
  readonly from: string
  readonly to: string
}

export function decideDepend(root: State, { from, to, type }: Ends & { readonly type: EdgeType }): Decided {
  const slice = tasksOf(root)
  const [source, waiting] = type === 'requires' ? [to, from] : [from, to]
  const task = taskOf(slice, waiting)
  if (task === undefined) return notFound(waiting)
  if (taskOf(slice, source) === undefined && !isNode(source)) return notFound(source)
  if (task.status === 'completed' || task.status === 'cancelled') return misplaced(task, 'add a dependency to')
  const known = linksInto(indexOf(root), waiting).find((link) => link.source === source)
  if (known?.type === type) return accept()
  return circle(root, source, waiting) ?? accept({ type: 'dependency.added', data: { source, waiting, type } })
}

/** K5 */
function circle(root: State, source: string, waiting: string): Refusal | undefined {
  const chain = source === waiting ? [] : chainBetween(indexOf(root), source, waiting)
  if (chain === undefined) return undefined
  const path = [waiting, source, ...chain.map((link) => link.source)]
  const weakest = weakestOf(tasksOf(root), chain)
  const { from, to } = weakest === undefined ? { from: '', to: '' } : endsOf(weakest.link)
  return refuse('DEPENDENCY_CYCLE', `${waiting} would wait for itself: ${path.join(' → ')}`, {
    hint:
      weakest === undefined
        ? 'name two different tasks'
        : `steadfold dependency break ${from} ${to} is the weakest of those that stand: ${weakest.because}`,
    details: { path, ...(weakest === undefined ? {} : { weakest: { from, to, type: weakest.link.type } }) },
  })
}

export function decideUndepend(root: State, { from, to }: Ends): Decided {
  const link = linkBetween(indexOf(root), from, to)
  if (link === undefined) return accept()
  return accept({ type: 'dependency.removed', data: { source: link.source, waiting: link.waiting } })
}

interface Break {
  readonly from: string
  readonly to?: string | undefined
  readonly reason: string
}

/** Never by itself: without the other end it only proposes. */
export function decideBreak(root: State, { from, to, reason }: Break): Decided {
  if (to === undefined) return propose(root, from)
  const link = linkBetween(indexOf(root), from, to)
  if (link === undefined)
    return refuse('NOT_FOUND', `nothing stands between "${from}" and "${to}"`, { hint: 'steadfold dependency list' })
  const { source, waiting, type } = link
  const proposed = weakestOf(tasksOf(root), holdingUp(root, waiting).links)
  const weakest = proposed !== undefined && proposed.link.source === source && proposed.link.waiting === waiting
  const because =
    proposed === undefined
      ? 'it held nothing up any more'
      : weakest
        ? proposed.because
        : `weaker is ${sayLink(proposed.link)}: ${proposed.because}`
  return accept({ type: 'dependency.broken', data: { source, waiting, type, reason, weakest, because } })
}

function propose(root: State, id: string): Refusal {
  if (taskOf(tasksOf(root), id) === undefined) return notFound(id)
  const { links, circle: round } = holdingUp(root, id)
  const weakest = weakestOf(tasksOf(root), links)
  if (weakest === undefined)
    return refuse('NOT_FOUND', `task "${id}" waits for nothing`, { hint: `steadfold task show ${id}` })
  const { from, to } = endsOf(weakest.link)
  const where = round ? `of the circle ${nodesOf(links).join(' → ')}` : `of the ${links.length} for which ${id} waits`
  return refuse('NEEDS_PERSON', `the weakest edge ${where} is "${sayLink(weakest.link)}": ${weakest.because}`, {
    hint: `steadfold dependency break ${from} ${to} --reason "…"`,
    details: { weakest: { from, to, type: weakest.link.type }, because: weakest.because, edges: links.map(asEdge) },
  })
}

export const asEdge = (link: Link) => ({ ...endsOf(link), type: link.type, at: link.at, seq: link.seq })

/** Something outside came, or went. */
export function decideTell(root: State, { node, status }: { readonly node: string; readonly status: string }): Decided {
  const index = indexOf(root)
  const known = index !== undefined && Object.hasOwn(index.outside, node) ? index.outside[node]?.status : undefined
  return known === status ? accept() : accept({ type: 'dependency.outside-told', data: { node, status } })
}
