/*
 * C8. Large graphs of merges, forks and replies, counted instead of timed: how often an event's tags are read, which is
 * done whenever it is placed, told or judged. Twice the graph costs about twice as much, however it hangs together.
 */
import { describe, expect, test } from 'vitest'
import { START_S } from '../../../test/conformance/chat.ts'
import { host } from '../../drivers/host/host.ts'
import { Journal } from '../../kernel/state/edit.ts'
import { fold, makeFolder } from '../../kernel/state/fold.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { canonicalText } from './admit.ts'
import { conversationModule } from './conversation.ts'
import type { ChatEvent } from './events.ts'
import { Order } from './order.ts'
import { conversationRows, conversationView, hashView } from './views.ts'

const folder = makeFolder([conversationModule])
const KEY = host.sha256('author')

let reads = 0

function event(at: number, content: string, tags: ChatEvent['tags']): ChatEvent {
  const body = { pubkey: KEY, created_at: START_S + at, kind: 1111, content }
  const id = host.sha256(canonicalText({ ...body, tags }))
  return Object.defineProperty({ id, ...body, tags, sig: '0'.repeat(128) }, 'tags', {
    enumerable: true,
    get: () => {
      reads++
      return tags
    },
  })
}

class Store {
  readonly tree: Tree = {}
  #seq = 0

  take(conversation: string, events: readonly ChatEvent[]): void {
    const data = { conversation, events, origin: 'test' }
    const at = new Date(START_S * 1000).toISOString()
    const commit = { seq: ++this.#seq, at, actor: 'tool:test', events: [{ type: 'chat.received', data }] }
    fold(folder, this.tree, commit, new Journal())
  }

  /** Conversations of one message, `KEY:n`; each may name another. */
  open(n: number, tags: ChatEvent['tags'] = []): ChatEvent {
    const opened = event(n, `begin ${n}`, [['d', name(n)], ...tags])
    this.take(name(n), [opened])
    return opened
  }

  look(n: number) {
    const view = conversationView(this.tree, { conversation: name(n), last: 1_000_000 }, 0)
    return { ids: view.shown.map(({ id }) => id), hash: hashView(this.tree, name(n), host.sha256).hash }
  }
}

const name = (n: number): string => `${KEY}:${n}`

const cost = (work: () => void): number => {
  reads = 0
  work()
  return reads
}

type Shape = (store: Store, size: number) => void

const merges: Record<string, Shape> = {
  'a chain': (store, size) => {
    for (let n = 0; n < size; n++) store.open(n, n === 0 ? [] : [['merge', name(n - 1)]])
  },
  'a chain that is told backwards': (store, size) => {
    for (let n = 0; n < size; n++) store.open(n, n === size - 1 ? [] : [['merge', name(n + 1)]])
  },
  'a star': (store, size) => {
    for (let n = 0; n < size; n++) store.open(n, n === 0 ? [] : [['merge', name(0)]])
  },
}

describe('C8 merges', () => {
  test.each(Object.entries(merges))('%s is one conversation, and costs what there is of it', (_, shape) => {
    const [few, many] = [200, 400].map((size) => {
      const store = new Store()
      shape(store, size)
      const first = cost(() => expect(store.look(0).ids).toHaveLength(size))
      const again = cost(() => store.look(size - 1))
      const listed = cost(() => expect(conversationRows(store.tree, { all: true }, 0)).toHaveLength(size))
      return { first, again, listed }
    })
    for (const what of ['first', 'again', 'listed'] as const)
      expect(many?.[what], what).toBeLessThanOrEqual(3 * (few?.[what] ?? 0))
  })
})

describe('C8 forks', () => {
  /** Each generation is two conversations that were made one, and both were forked from the one before. */
  const generations = (store: Store, count: number): number => {
    let end = store.open(0).id
    let [n, before] = [0, 0]
    for (let generation = 1; generation < count; generation++) {
      const [left, right] = [++n, ++n]
      const fork = ['fork', name(before), end]
      store.open(left, [fork])
      end = store.open(right, [fork]).id
      store.take(name(right), [
        event(n, `join ${right}`, [
          ['d', name(right)],
          ['merge', name(left)],
        ]),
      ])
      before = left
    }
    return before
  }

  test('a past that is shared in many ways is looked at once, and holds each message once', () => {
    const [few, many] = [12, 24].map((count) => {
      const store = new Store()
      const last = generations(store, count)
      return cost(() => {
        const { ids } = store.look(last)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBeGreaterThanOrEqual(2 * count)
      })
    })
    // Each generation shares all that was before it: what is read in all of them grows with the square of their number.
    expect(many).toBeLessThanOrEqual(6 * (few ?? 0))
  })

  test('many forks of one conversation that were merged share its past once', () => {
    const store = new Store()
    const { id } = store.open(0)
    store.open(1, [['fork', name(0), id]])
    for (let n = 2; n < 50; n++) {
      store.open(n, [['fork', name(0), id]])
      store.take(name(n), [
        event(n, `join ${n}`, [
          ['d', name(n)],
          ['merge', name(1)],
        ]),
      ])
    }
    const { ids } = store.look(1)
    expect(ids.filter((each) => each === id)).toHaveLength(1)
    expect(ids).toHaveLength(1 + 49 + 48)
  })

  test('forks of one another share no past, whichever was heard of first', () => {
    const [a, b] = [new Store(), new Store()]
    const [one, two] = [
      event(1, 'one', [
        ['d', name(1)],
        ['fork', name(2), ''],
      ]),
      event(2, 'two', [
        ['d', name(2)],
        ['fork', name(1), ''],
      ]),
    ]
    a.take(name(1), [one])
    a.take(name(2), [two])
    b.take(name(2), [two])
    b.take(name(1), [one])
    for (const n of [1, 2]) {
      expect(a.look(n).ids).toHaveLength(1)
      expect(a.look(n).hash).toBe(b.look(n).hash)
    }
  })
})

describe('C3 replies', () => {
  /** All of one second, each behind the three before it; the first comes last, and is later than all of them. */
  const lateRoot = (size: number): number => {
    const events: ChatEvent[] = [event(100, 'root', [])]
    for (let n = 1; n < size; n++)
      events.push(
        event(
          0,
          `${n}`,
          events.slice(-3).map(({ id }) => ['prev', id]),
        ),
      )
    const order = new Order()
    const arrive = (each: ChatEvent) => ({ event: each, thread: 'c' })
    order.add(events.slice(1).map(arrive))
    const reads = cost(() => order.add(events.slice(0, 1).map(arrive)))
    expect(order.list.map((placed) => placed.event.id)).toEqual(events.map(({ id }) => id))
    return reads
  }

  test('a root that comes late puts each that stands behind it elsewhere once', () => {
    expect(lateRoot(400)).toBeLessThanOrEqual(3 * lateRoot(200))
  })
})
