import fc from 'fast-check'
import { expect, test } from 'vitest'
import { START_S } from '../../../test/conformance/chat.ts'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { count } from '../../../test/crash/rig/plan.ts'
import { host } from '../../drivers/host/host.ts'
import { Journal } from '../../kernel/state/edit.ts'
import { fold, makeFolder } from '../../kernel/state/fold.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { admit, canonicalText, type Delivery } from './admit.ts'
import { conversationModule, conversationsOf } from './conversation.ts'
import type { ChatEvent } from './events.ts'
import { parentsOf } from './tags.ts'
import { timelineOf } from './timeline.ts'
import { hashView } from './views.ts'

const RUNS = count(150, 2000)
const AUTHORS = [0, 1, 2, 3].map((who) => host.sha256(`author ${who}`))
const folder = makeFolder([conversationModule])

/** With a signature that nobody looks at: that was done before. */
function event(who: number, content: string, { at = 0, kind = 1111, tags = [] }: Partial<Said> = {}): ChatEvent {
  const body = { pubkey: AUTHORS[who] ?? '', created_at: START_S + at, kind, tags, content }
  return { id: host.sha256(canonicalText(body)), ...body, sig: '0'.repeat(128) }
}

interface Said {
  readonly at: number
  readonly kind: number
  readonly tags: ChatEvent['tags']
}

const root = event(0, 'build it', { kind: 11, tags: [['title', 'Login']] })

const ROOTS = [root, event(0, 'build it, too', { kind: 11, at: 1 }), event(0, 'and the third', { kind: 11, at: 2 })]

/** What may be said: behind others or not, at wrong times, by strangers, deciding or not. */
const TAGS: readonly (readonly (readonly string[])[])[] = [
  [],
  [],
  [
    ['phase', 'plan'],
    ['phase-from', 'chat'],
  ],
  [
    ['phase', 'execute'],
    ['phase-from', 'plan'],
  ],
  [
    ['phase', 'chat'],
    ['phase-from', 'execute'],
    ['rollback', 'true'],
  ],
  [
    ['phase', 'reflection'],
    ['phase-from', 'chores'],
  ],
  [['title', 'Sign-in']],
  [['title', 'Log-in']],
  [
    ['route', AUTHORS[1] ?? '', AUTHORS[2] ?? ''],
    ['timeout', '3'],
    ['partial', 'accept'],
  ],
  [['route', AUTHORS[1] ?? '']],
  [['route']],
  [['complete', '']],
  [['member', AUTHORS[1] ?? '', 'agent', 'planner']],
  [['member', AUTHORS[2] ?? '', 'user', 'bo']],
  [['archive', 'true']],
  [['archive', 'false']],
]

const said = fc.record({
  who: fc.nat({ max: AUTHORS.length - 1 }),
  at: fc.nat({ max: 5 }),
  what: fc.nat({ max: TAGS.length - 1 }),
  text: fc.nat({ max: 2 }),
  /** The event it stands behind, counted back; none. */
  behind: fc.option(fc.nat({ max: 5 })),
  /** Which of three conversations it is said in, and what it does to another. */
  home: fc.nat({ max: 2 }),
  link: fc.constantFrom('', '', '', '', 'merge', 'fork'),
})

type Line = typeof said extends fc.Arbitrary<infer Each> ? Each : never

function conversation(lines: readonly Line[]): readonly ChatEvent[] {
  const events = [...ROOTS]
  for (const { who, at, what, text, behind, home, link } of lines) {
    const parent = behind === null ? undefined : events.at(-1 - behind)
    const target = ROOTS[(home + 1 + (text % 2)) % ROOTS.length] ?? root
    const tags = [
      ['E', ROOTS[home]?.id ?? root.id],
      ...(parent === undefined ? [] : [['prev', parent.id]]),
      ...(link === '' ? (TAGS[what] ?? []) : [[link, target.id, parent?.id ?? target.id]]),
    ]
    events.push(event(who, `text ${text}`, { at, tags }))
  }
  return events
}

/** One store: deliveries in groups, each group a commit, some of them taken back first. */
function stateAfter(groups: readonly (readonly ChatEvent[])[], fails: boolean, reads = fails): Tree {
  const tree: Tree = {}
  const now = fixedHost().now() + 3_600_000
  let seq = 0
  for (const group of groups) {
    const verified = group.map(() => true)
    const delivery: Delivery = { origin: 'test', plain: false, verified, sha256: host.sha256 }
    const events = admit(conversationsOf(tree), group, delivery, { now })
    const commit = { seq: ++seq, at: new Date(now).toISOString(), actor: 'tool:test', events }
    const journal = new Journal()
    fold(folder, tree, commit, journal)
    if (reads) hashOf(tree)
    if (!fails) continue
    // A lost race: what was read in between must not stay.
    journal.rollback()
    fold(folder, tree, commit, new Journal())
  }
  return tree
}

const hashOf = (tree: Tree) =>
  ROOTS.map(({ id }) =>
    conversationsOf(tree)?.threads[id] === undefined ? '' : hashView(tree, id, host.sha256).hash,
  ).join()

test('C2 any order, repetition and grouping of deliveries, over any number of stores, ends in the same hash', () => {
  const scene = fc
    .array(said, { maxLength: 14 })
    .map(conversation)
    .chain((events) =>
      fc.record({
        events: fc.constant(events),
        order: fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
        cuts: fc.array(fc.nat({ max: 6 }), { minLength: events.length * 2 + 1, maxLength: events.length * 2 + 1 }),
        homes: fc.array(fc.nat({ max: 2 }), { minLength: events.length * 2, maxLength: events.length * 2 }),
        fails: fc.boolean(),
        reads: fc.boolean(),
      }),
    )
  fc.assert(
    fc.property(scene, ({ events, order, cuts, homes, fails, reads }) => {
      const expected = hashOf(stateAfter([events], false))
      expect(hashOf(stateAfter(grouped(order, cuts), fails, reads))).toBe(expected)
      // Three stores that each heard a part, and then tell one another, in the order in which each has it.
      const parts = [0, 1, 2].map((home) =>
        stateAfter(
          grouped(
            order.filter((_, i) => homes[i] === home),
            cuts,
          ),
          fails,
        ),
      )
      const told = parts.map((from) =>
        Object.values(conversationsOf(from)?.threads ?? {}).flatMap((thread) => thread.events),
      )
      for (const own of [0, 1, 2]) {
        const others = [0, 1, 2].filter((home) => home !== own).map((home) => told[home] ?? [])
        expect(hashOf(stateAfter([told[own] ?? [], ...others], fails))).toBe(expected)
      }
    }),
    { numRuns: RUNS },
  )
}, 600_000)

test('C2 the hash says when an event is missing', () => {
  const events = conversation([{ who: 0, at: 1, what: 0, text: 0, behind: null, home: 0, link: '' }])
  const [whole, part] = [stateAfter([events], false), stateAfter([events.slice(0, -1)], false)]
  expect(hashOf(whole)).not.toBe(hashOf(part))
})

test('C3 an answer stands behind its question although its clock is wrong', () => {
  const question = event(0, 'which?', { at: 50, tags: [['E', root.id]] })
  const answer = event(1, 'argon2', {
    at: 2,
    tags: [
      ['E', root.id],
      ['e', question.id, '', 'reply'],
    ],
  })
  const late = event(1, 'in between', { at: 10, tags: [['E', root.id]] })
  const tree = stateAfter([[answer], [late], [question], [root]], false)
  expect(START_S).toBe(root.created_at)
  expect(orderIn(tree)).toEqual(['build it', 'in between', 'which?', 'argon2'])
})

test('C3 what was said in the same second stands behind what its author had seen', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 14 }).map(conversation), (events) => {
      const tree = stateAfter([events.toReversed()], false)
      for (const list of ROOTS.map(({ id }) => listIn(tree, id))) {
        const places = new Map(list.map(({ id }, place) => [id, place]))
        for (const each of list)
          for (const parent of parentsOf(each))
            if (places.has(parent)) expect(places.get(parent), each.content).toBeLessThan(places.get(each.id) ?? -1)
      }
    }),
    { numRuns: RUNS },
  )
})

test('C6 a view does not keep what an append that failed had brought', () => {
  const tree = stateAfter([[root]], false)
  const [first, second] = [
    event(0, 'first', { at: 1, tags: [['E', root.id]] }),
    event(0, 'second', { at: 1, tags: [['E', root.id]] }),
  ]
  const put = (each: ChatEvent, journal: Journal) =>
    fold(
      folder,
      tree,
      {
        seq: 2,
        at: '2026-01-01T00:00:00.000Z',
        actor: 'tool:test',
        events: [{ type: 'chat.received', data: { conversation: root.id, events: [each], origin: 'test' } }],
      },
      journal,
    )
  const journal = new Journal()
  put(first, journal)
  expect(orderIn(tree)).toEqual(['build it', 'first'])
  journal.rollback()
  put(second, new Journal())
  expect(orderIn(tree)).toEqual(['build it', 'second'])
})

function listIn(tree: Tree, id: string): readonly ChatEvent[] {
  const slice = conversationsOf(tree)
  const timeline = slice === undefined ? undefined : timelineOf(slice, id)
  return timeline?.list.map((placed) => placed.event) ?? []
}

const orderIn = (tree: Tree): readonly string[] => listIn(tree, root.id).map(({ content }) => content)

function grouped(events: readonly ChatEvent[], cuts: readonly number[]): readonly (readonly ChatEvent[])[] {
  const groups: ChatEvent[][] = [[]]
  events.forEach((each, i) => {
    if (cuts[i] === 0) groups.push([])
    groups.at(-1)?.push(each)
  })
  return groups
}
