/*
 * C6. What one more message touches of the state, counted instead of timed: every member that is read, written or
 * enumerated by saying it, and by building the messages of an agent behind it.
 */
import { expect, test } from 'vitest'
import { START_S } from '../../../test/conformance/chat.ts'
import { host } from '../../drivers/host/host.ts'
import { Journal } from '../../kernel/state/edit.ts'
import { fold, makeFolder } from '../../kernel/state/fold.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { canonicalText } from './admit.ts'
import { conversationModule } from './conversation.ts'
import { decideSpeech } from './decide.ts'
import type { ChatEvent } from './events.ts'
import { decideSeen } from './notes.ts'
import { draftPost, type Post } from './speak.ts'
import { builtFor } from './views.ts'

const folder = makeFolder([conversationModule])
const at = new Date(START_S * 1000).toISOString()

function eventAt(n: number): ChatEvent {
  const body = {
    pubkey: `agent:a${n % 5}`,
    created_at: START_S + n,
    kind: 1111,
    tags: [['d', 'c']],
    content: `message ${n}`,
  }
  return { id: host.sha256(canonicalText(body)), ...body, sig: null }
}

class Bench {
  readonly #tree: Tree = {}
  readonly #proxies = new WeakMap<object, object>()
  readonly #originals = new WeakMap<object, object>()
  readonly #counted: Tree
  #touched = 0
  #seq = 0

  constructor(count: number) {
    const events = Array.from({ length: count }, (_, n) => eventAt(n))
    this.#fold(this.#tree, [{ type: 'chat.received', data: { conversation: 'c', events, origin: 'test' } }])
    this.#counted = this.#count(this.#tree)
  }

  say(text: string): void {
    const context = { now: Date.now(), at, actor: 'agent:me', seq: this.#seq + 1, log: '', newId: () => text }
    const input: Post & { signed: boolean } = { conversation: 'c', text, mentions: [], voice: false, signed: false }
    const decided = decideSpeech(this.#counted, input, { make: draftPost, sha256: host.sha256, context })
    if (decided.kind !== 'accepted') throw new Error(decided.message)
    this.#fold(this.#counted, decided.events)
  }

  /** What the agent is given, and that it has been. */
  build(): readonly unknown[] {
    const wanted = { conversation: 'c', agent: 'agent:a1', budget: 300, window: 'last' } as const
    const { messages, cursor } = builtFor(this.#counted, wanted)
    const context = { now: 0, at, actor: 'agent:a1', seq: this.#seq + 1, log: '', newId: () => '' }
    const decided = decideSeen(this.#counted, { conversation: 'c', agent: 'agent:a1', cursor }, context)
    if (decided.kind === 'accepted') this.#fold(this.#counted, decided.events)
    return messages
  }

  cost(work: () => void): number {
    this.#touched = 0
    work()
    return this.#touched
  }

  #fold(root: Tree, events: Parameters<typeof fold>[2]['events']) {
    fold(folder, root, { seq: ++this.#seq, at, actor: 'agent:me', events }, new Journal())
  }

  /** The same object, but everything that is done to it counts. */
  #count<T extends object>(target: T): T {
    const known = this.#proxies.get(target)
    // Made from this very object below.
    if (known !== undefined) return known as T
    const proxy = new Proxy(target, {
      get: (object, key) => {
        this.#touched++
        const value: unknown = Reflect.get(object, key)
        return typeof value === 'object' && value !== null ? this.#count(value) : value
      },
      set: (object, key, value) => {
        this.#touched++
        return Reflect.set(
          object,
          key,
          typeof value === 'object' && value !== null ? (this.#originals.get(value as object) ?? value) : value,
        )
      },
      getOwnPropertyDescriptor: (object, key) => {
        this.#touched++
        return Reflect.getOwnPropertyDescriptor(object, key)
      },
      ownKeys: (object) => {
        const keys = Reflect.ownKeys(object)
        this.#touched += keys.length
        return keys
      },
    })
    this.#proxies.set(target, proxy)
    this.#originals.set(proxy, target)
    return proxy
  }
}

test('C6 one more message, said and built, touches no more at 10,000 messages than twice what it does at 100', () => {
  const costs = [100, 10_000].map((count) => {
    const bench = new Bench(count)
    for (const text of ['one', 'two']) {
      bench.say(text)
      bench.build()
    }
    const said = bench.cost(() => bench.say('three'))
    let last: readonly unknown[] = []
    const built = bench.cost(() => (last = bench.build()))
    expect(last).toContainEqual(expect.objectContaining({ content: 'three' }))
    return { said, built }
  })
  const [few, many] = costs
  expect(many?.said).toBeLessThanOrEqual(2 * (few?.said ?? 0))
  expect(many?.built).toBeLessThanOrEqual(2 * (few?.built ?? 0))
})
