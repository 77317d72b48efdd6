/*
 * C3. The order of a conversation, kept while events come in any order.
 *
 * time(e) = max(created_at(e), times of its parents), so that a wrong clock cannot put an answer before its question.
 * rank(e) = 1 + the greatest rank of its parents with the same time; 0 when there are none.
 * Order is (time, rank, id): without replies it is (created_at, id). All of it follows from the set alone.
 */
import { inOrder } from '../../kernel/work/graph.ts'
import type { ChatEvent } from './events.ts'
import { isDeciding, parentsOf } from './tags.ts'

export interface Placed {
  readonly event: ChatEvent
  /** Where it arrived: what cursors count. */
  readonly thread: string
  readonly isDeciding: boolean
  time: number
  rank: number
}

type Arrived = Pick<Placed, 'event' | 'thread'>
type Place = Pick<Placed, 'time' | 'rank'>

/** So many are put in one by one; more are merged in one pass. */
const FEW = 32

export class Order {
  readonly list: Placed[] = []
  readonly byId = new Map<string, Placed>()
  /** Events that name a parent, by its id, whether it is there or not. */
  readonly #children = new Map<string, Placed[]>()

  /** Takes in events that are not in it yet; answers the place from which on the list has changed. */
  add(arrived: readonly Arrived[]): number {
    const fresh = new Set(arrived.map((each) => this.#enter(each)))
    for (const placed of parentsFirst(fresh)) this.#settle(placed)
    const moved = this.#shift(fresh)
    const cut = moved.size === 0 ? this.list.length : this.#takeOut(moved)
    return Math.min(cut, this.#putIn([...fresh, ...moved].toSorted(compare)))
  }

  /** What came late may put those elsewhere that stand behind it. Each is looked at once, behind its own parents. */
  #shift(fresh: ReadonlySet<Placed>): ReadonlySet<Placed> {
    const moved = new Set<Placed>()
    const isMoved = (placed: Placed): boolean => !fresh.has(placed) && !isSame(placed, this.#placeOf(placed))
    if (![...fresh].some((placed) => this.#childrenOf(placed).some(isMoved))) return moved
    const behind = new Set(fresh)
    for (const placed of behind) for (const child of this.#childrenOf(placed)) behind.add(child)
    for (const placed of parentsFirst(behind)) if (this.#settle(placed) && !fresh.has(placed)) moved.add(placed)
    return moved
  }

  #enter({ event, thread }: Arrived): Placed {
    const placed: Placed = { event, thread, isDeciding: isDeciding(event), time: event.created_at, rank: 0 }
    this.byId.set(event.id, placed)
    for (const parent of parentsOf(event)) {
      const siblings = this.#children.get(parent)
      if (siblings === undefined) this.#children.set(parent, [placed])
      else if (siblings.at(-1) !== placed) siblings.push(placed)
    }
    return placed
  }

  /** Whether something in it stands behind that event. */
  isFollowed(id: string): boolean {
    return this.#children.has(id)
  }

  #childrenOf = ({ event }: Placed): readonly Placed[] => this.#children.get(event.id) ?? []

  /** Whether its place has changed. */
  #settle(placed: Placed): boolean {
    const place = this.#placeOf(placed)
    if (isSame(placed, place)) return false
    Object.assign(placed, place)
    return true
  }

  #placeOf({ event }: Placed): Place {
    const parents = parentsOf(event).flatMap((id) => this.byId.get(id) ?? [])
    const time = parents.reduce((latest, parent) => Math.max(latest, parent.time), event.created_at)
    const rank = parents.reduce((most, parent) => (parent.time === time ? Math.max(most, parent.rank + 1) : most), 0)
    return { time, rank }
  }

  #takeOut(moved: ReadonlySet<Placed>): number {
    const first = this.list.findIndex((placed) => moved.has(placed))
    let end = first
    for (let i = first; i < this.list.length; i++) {
      const placed = this.list[i]
      if (placed !== undefined && !moved.has(placed)) this.list[end++] = placed
    }
    this.list.length = end
    return first
  }

  #putIn(sorted: readonly Placed[]): number {
    const [least] = sorted
    if (least === undefined) return this.list.length
    const first = this.#placeFor(least)
    if (first === this.list.length) for (const placed of sorted) this.list.push(placed)
    else if (sorted.length <= FEW) for (const placed of sorted) this.list.splice(this.#placeFor(placed), 0, placed)
    else this.#merge(first, sorted)
    return first
  }

  #merge(first: number, sorted: readonly Placed[]): void {
    const rest = this.list.slice(first)
    this.list.length = first
    let next = 0
    for (const placed of sorted) {
      for (let other = rest[next]; other !== undefined && compare(other, placed) < 0; other = rest[++next])
        this.list.push(other)
      this.list.push(placed)
    }
    for (const other of rest.slice(next)) this.list.push(other)
  }

  #placeFor(placed: Placed): number {
    const last = this.list.at(-1)
    if (last === undefined || compare(last, placed) < 0) return this.list.length
    let [low, high] = [0, this.list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.list[middle]
      if (other !== undefined && compare(other, placed) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Ids are hashes and cannot form a circle; what did would be left where it is. */
function parentsFirst(those: ReadonlySet<Placed>): readonly Placed[] {
  const byId = new Map([...those].map((placed) => [placed.event.id, placed]))
  const order = inOrder([...byId].map(([name, { event }]) => ({ name, needs: parentsOf(event) })))
  return order.flatMap((id) => byId.get(id) ?? [])
}

const isSame = (a: Place, b: Place): boolean => a.time === b.time && a.rank === b.rank

export function compare(a: Placed, b: Placed): number {
  if (a.time !== b.time) return a.time - b.time
  if (a.rank !== b.rank) return a.rank - b.rank
  return a.event.id < b.event.id ? -1 : 1
}
