/*
 * What a claim, a look at what is ready and an update touch of the state, counted instead of timed: every member that is
 * read, written or enumerated. At 10,000 tasks it is at most twice what it is at 100.
 */
import { expect, test } from 'vitest'
import type { Event } from '../../kernel/log/commit.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { Journal } from '../../kernel/state/edit.ts'
import { fold, makeFolder } from '../../kernel/state/fold.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { decideClaim, decideDone, decideRenew, decideStart, readyTasks, type Decided } from './decide.ts'
import { decideUpdate } from './describe.ts'
import { tasksModule } from './tasks.ts'
import { taskRow } from './views.ts'

const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const
const MINUTE = 60_000
const folder = makeFolder([tasksModule])

class Bench {
  readonly #tree: Tree = {}
  readonly #counted: Tree
  readonly #originals = new WeakMap<object, object>()
  #touched = 0
  #seq = 0

  constructor(count: number) {
    const fixed = { epic_id: null, sprint_id: null, project_id: null, acceptance_criteria: [] }
    for (let n = 0; n < count; n++) {
      const context = { ...fixed, team: n % 3 === 0 ? 'web' : 'core' }
      const priority = PRIORITIES[(n * 7) % 4] ?? 'low'
      this.#fold(this.#tree, [
        { type: 'task.added', data: { id: `task-${n}`, type: 'bug', title: 'x', priority, artifacts: [], context } },
        ...(n % 5 === 4
          ? [{ type: 'dependency.added', data: { source: `task-${n - 1}`, waiting: `task-${n}`, type: 'blocks' } }]
          : []),
      ])
    }
    this.#counted = this.#count(this.#tree)
  }

  /** How many members the decision and its fold touch. */
  cost(decide: (root: Tree, context: Context) => Decided | readonly unknown[]): number {
    this.#touched = 0
    const now = Date.UTC(2026, 0, 1) + this.#seq
    const expired = tasksModule.expire?.(this.#counted, now, this.#seq + 1) ?? []
    expect(expired).toEqual([])
    const context = { now, at: '', actor: 'agent:me', seq: this.#seq + 1, log: '', newId: () => '' }
    const decided = decide(this.#counted, context)
    if ('kind' in decided) {
      expect(decided).toMatchObject({ kind: 'accepted' })
      if (decided.kind === 'accepted') this.#fold(this.#counted, decided.events)
    }
    return this.#touched
  }

  #fold(root: Tree, events: readonly Event[]) {
    const seq = ++this.#seq
    fold(folder, root, { seq, at: '2026-01-01T00:00:00.000Z', actor: 'agent:me', events }, new Journal())
  }

  /** The same object, but everything that is done to it counts. */
  #count<T extends object>(target: T): T {
    const counted = new Proxy(target, {
      get: (object, key) => {
        this.#touched++
        const value: unknown = Reflect.get(object, key)
        return typeof value === 'object' && value !== null ? this.#count(value) : value
      },
      set: (object, key, value) => {
        this.#touched++
        return Reflect.set(object, key, this.#plain(value))
      },
      has: (object, key) => {
        this.#touched++
        return Reflect.has(object, key)
      },
      getOwnPropertyDescriptor: (object, key) => {
        this.#touched++
        return Reflect.getOwnPropertyDescriptor(object, key)
      },
      deleteProperty: (object, key) => {
        this.#touched++
        return Reflect.deleteProperty(object, key)
      },
      ownKeys: (object) => {
        const keys = Reflect.ownKeys(object)
        this.#touched += keys.length
        return keys
      },
    })
    this.#originals.set(counted, target)
    return counted
  }

  /** What enters the state is not counted twice. */
  #plain(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const original = this.#originals.get(value)
    if (original !== undefined) return original
    if (Array.isArray(value)) return value.map((each) => this.#plain(each))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#plain(each)]))
  }
}

type Step = (root: Tree, context: Context) => Decided | readonly unknown[]

/** In this order, for 25 tasks each; some of them let another task go on. */
const STEPS: Readonly<Record<string, Step>> = {
  ready: (root) => readyTasks(root, 20).map((task) => taskRow(root, task)),
  'ready of a team': (root) => readyTasks(root, 1, { team: 'core' }),
  'claim of a team': (root, context) => decideClaim(root, { any: true, ttl_ms: MINUTE, team: 'core' }, context),
  claim: (root, context) => decideClaim(root, { any: true, ttl_ms: MINUTE }, context),
  start: (root, context) => decideStart(root, { task: mine(root) }, context),
  renew: (root, context) => decideRenew(root, { task: mine(root), ttl_ms: 2 * MINUTE }, context),
  update: (root) => decideUpdate(root, { task: 'task-3', team: 'core', requirements: 'x' }),
  'update of the order': (root, { seq }) =>
    decideUpdate(root, { task: 'task-3', priority: PRIORITIES[seq % 4] ?? 'low', effort: seq }),
  done: (root, context) => decideDone(root, { task: mine(root), artifacts: [] }, context),
}

const mine = (root: Tree): string => {
  const { held } = (root['execution'] as { task_index: { held: Record<string, Record<string, number>> } }).task_index
  return Object.keys(held['agent:me'] ?? {})[0] ?? ''
}

function costs(count: number): Record<string, number> {
  const bench = new Bench(count)
  const sums: Record<string, number> = {}
  for (let n = 0; n < 25; n++)
    for (const [name, step] of Object.entries(STEPS)) sums[name] = (sums[name] ?? 0) + bench.cost(step)
  return sums
}

test('a claim, a look at what is ready and an update touch at 10,000 tasks at most twice what they touch at 100', () => {
  const [few, many] = [costs(100), costs(10_000)]
  for (const name of Object.keys(STEPS)) expect((many[name] ?? 0) / (few[name] ?? 1), name).toBeLessThanOrEqual(2)
})

test('the counter sees a search', () => {
  const search: Step = (root) => Object.values((root['execution'] as { tasks: Tree }).tasks)
  expect(new Bench(10_000).cost(search) / new Bench(100).cost(search)).toBeGreaterThan(50)
})
