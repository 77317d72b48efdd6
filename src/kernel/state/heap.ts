/*
 * A queue by number that lives in the state: the least first, whatever the order in which keys come, change and go.
 *
 *   slots: 0 ─┬─ 1 ─┬─ 3        a slot's number is not above those of its two children 2n+1 and 2n+2
 *             │     └─ 4
 *             └─ 2              places: key ─► slot
 *
 * Every change costs the logarithm of the size, and so does what an undo takes back. Built of objects, since an `Edit`
 * shortens no lists.
 */
import type { Edit } from './edit.ts'

type Slot = readonly [order: number, key: string]

/** For more than these, sorting all of them is quicker than finding one after the other. */
const FEW = 64

export interface Heap {
  slots: Record<string, Slot>
  places: Record<string, number>
  size: number
}

export const emptyHeap = (): Heap => ({ slots: {}, places: {}, size: 0 })

/** The least number there is; undefined when it is empty. */
export const leastOf = (heap: Heap | undefined): number | undefined => heap?.slots[0]?.[0]

/** Keys with a number up to `most`, by number and then by key. Costs what it finds, not what there is. */
export function keysUpTo(heap: Heap, most: number): readonly string[] {
  const found: Slot[] = []
  const open = [0]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const slot = heap.slots[place]
    if (slot === undefined || slot[0] > most) continue
    found.push(slot)
    open.push(2 * place + 1, 2 * place + 2)
  }
  return found.toSorted(bySlot).map(([, key]) => key)
}

/** Up to `count` keys, the least first, of those with a number up to `most`. */
export function firstKeys(heap: Heap, count: number, most = Infinity): readonly string[] {
  if (count > FEW) return keysUpTo(heap, most).slice(0, count)
  const found: string[] = []
  // The next one is always among the children of those found so far; there are never many of them.
  const open = [0]
  while (found.length < count) {
    const next = open.reduce(
      (best, place, i) => (isBefore(heap.slots[place], heap.slots[open[best] ?? 0]) ? i : best),
      0,
    )
    const [place = 0] = open.splice(next, 1)
    const slot = heap.slots[place]
    if (slot === undefined || slot[0] > most) break
    found.push(slot[1])
    open.push(2 * place + 1, 2 * place + 2)
  }
  return found
}

/** Puts a key in, or gives it another number. */
export function put(heap: Heap, key: string, order: number, edit: Edit): void {
  const place = Object.hasOwn(heap.places, key) ? heap.places[key] : undefined
  const slot: Slot = [order, key]
  if (place === undefined) {
    edit.set(asRecord(heap), 'size', heap.size + 1)
    rise(heap, heap.size - 1, slot, edit)
  } else settle(heap, place, slot, edit)
}

/** Takes a key out; nothing happens when it is not there. */
export function take(heap: Heap, key: string, edit: Edit): void {
  const place = Object.hasOwn(heap.places, key) ? heap.places[key] : undefined
  if (place === undefined) return
  const end = heap.size - 1
  const last = heap.slots[end]
  edit.set(asRecord(heap), 'size', end)
  edit.remove(heap.slots, String(end))
  edit.remove(heap.places, key)
  if (place !== end && last !== undefined) settle(heap, place, last, edit)
}

function settle(heap: Heap, place: number, slot: Slot, edit: Edit): void {
  const above = heap.slots[parentOf(place)]
  if (place > 0 && isBefore(slot, above)) rise(heap, place, slot, edit)
  else sink(heap, place, slot, edit)
}

function rise(heap: Heap, from: number, slot: Slot, edit: Edit): void {
  let place = from
  for (; place > 0; place = parentOf(place)) {
    const above = heap.slots[parentOf(place)]
    if (above === undefined || !isBefore(slot, above)) break
    lay(heap, place, above, edit)
  }
  lay(heap, place, slot, edit)
}

function sink(heap: Heap, from: number, slot: Slot, edit: Edit): void {
  let place = from
  for (;;) {
    const left = 2 * place + 1
    const below = isBefore(heap.slots[left + 1], heap.slots[left]) ? left + 1 : left
    const lesser = heap.slots[below]
    if (lesser === undefined || !isBefore(lesser, slot)) break
    lay(heap, place, lesser, edit)
    place = below
  }
  lay(heap, place, slot, edit)
}

function lay(heap: Heap, place: number, slot: Slot, edit: Edit): void {
  edit.set(heap.slots, String(place), slot)
  edit.set(heap.places, slot[1], place)
}

const parentOf = (place: number): number => (place - 1) >> 1

/** What is not there comes last. */
function isBefore(a: Slot | undefined, b: Slot | undefined): boolean {
  if (a === undefined || b === undefined) return b === undefined && a !== undefined
  return bySlot(a, b) < 0
}

/** Members by number: this is where a heap spends its time, and unpacking a list iterates it. */
function bySlot(a: Slot, b: Slot): number {
  if (a[0] !== b[0]) return a[0] - b[0]
  if (a[1] === b[1]) return 0
  return a[1] < b[1] ? -1 : 1
}

function asRecord(heap: Heap): Record<string, unknown> {
  // The heap is plain JSON; its interface only names the members.
  return heap as unknown as Record<string, unknown>
}
