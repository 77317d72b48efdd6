/*
 * Which conversations are one, and which share a past.
 *
 *   merge: from ──led to──► to          fork: from ──shares what stood before an event──► to
 *
 * C8. What links come to is a function of their set, and costs what there is of them: each is judged again only when a
 *     conversation that it concerns has changed. A merge that would close a circle leads nowhere; forks that lie on a
 *     circle, or behind one, share no past.
 */
import { inOrder } from '../../kernel/work/graph.ts'
import { threadOf } from './conversation.ts'
import type { ConversationSlice, Link } from './events.ts'

export interface Graph {
  /** The conversation that the readers of this one are led to. */
  readonly redirect: (id: string) => string
  /** Others that were merged into it. */
  readonly merged: (id: string) => readonly string[]
  /** The first fork that the conversation says to be. */
  readonly forkOf: (id: string) => Link | undefined
}

type HasSay = (conversation: string, author: string) => boolean

export function graphOf(slice: ConversationSlice, hasSay: HasSay): Graph {
  const links = allowed(slice, hasSay)
  const leads = new Map<string, string>()
  for (const { from, to } of links.filter(({ kind }) => kind === 'merge')) {
    const [source, target] = [endOf(leads, from), endOf(leads, to)]
    if (source !== target) leads.set(source, target)
  }
  const redirect = (id: string) => endOf(leads, id)
  const merged = groupedBy([...leads.keys()], redirect)
  const forks = withoutCircles(links.filter(({ kind }) => kind === 'fork').toReversed(), redirect)
  return { redirect, merged: (id) => merged.get(id)?.toSorted() ?? [], forkOf: (id) => forks.get(id) }
}

export function groupedBy<T>(those: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const each of those) {
    const key = keyOf(each)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  return groups
}

/** What was walked is led to the end at once from then on, or long ways would be walked again and again. */
function endOf(leads: Map<string, string>, id: string): string {
  let end = id
  for (let next = leads.get(end); next !== undefined; next = leads.get(end)) end = next
  for (let at = id; at !== end;) {
    const next = leads.get(at) ?? end
    leads.set(at, end)
    at = next
  }
  return end
}

/** Latest first, so that the first one stays; what is one conversation by now has no past to share with itself. */
function withoutCircles(latest: readonly Link[], redirect: (id: string) => string): ReadonlyMap<string, Link> {
  const forks = new Map(
    latest.filter(({ from, to }) => redirect(from) !== redirect(to)).map((link) => [link.from, link]),
  )
  const needs = groupedBy([...forks.values()], ({ from }) => redirect(from))
  const whole = new Set(
    inOrder([...needs].map(([name, links]) => ({ name, needs: links.map(({ to }) => redirect(to)) }))),
  )
  return new Map([...forks].filter(([from]) => whole.has(redirect(from))))
}

/** Link -> whether it counted when the conversations it concerns stood so. */
type Judged = Map<string, { readonly stamp: string; readonly may: boolean }>

const judgements = new WeakMap<ConversationSlice, Judged>()

/** In their order. */
function allowed(slice: ConversationSlice, hasSay: HasSay): readonly Link[] {
  const judged: Judged = judgements.get(slice) ?? new Map()
  judgements.set(slice, judged)
  const may = (link: Link): boolean => {
    const concerned = concernedBy(link)
    const stamp = concerned.map((id) => stampOf(slice, id)).join()
    const known = judged.get(link.id)
    if (known?.stamp === stamp) return known.may
    const now = concerned.every((id) => hasSay(id, link.author))
    judged.set(link.id, { stamp, may: now })
    return now
  }
  return Object.values(slice.links)
    .filter(may)
    .toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
}

/** Who merges has a say in both, or anybody could speak in a conversation through one of their own. */
const concernedBy = ({ kind, from, to }: Link): readonly string[] => (kind === 'merge' ? [from, to] : [from])

function stampOf(slice: ConversationSlice, id: string): string {
  const thread = threadOf(slice, id)
  return thread === undefined ? '' : `${thread.events.length} ${thread.mix}`
}
