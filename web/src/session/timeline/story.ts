/*
 * What happened, told by the log: who worked on what, from when to when.
 *
 * B1. A bar is one piece of work: an attempt of a step, a claim of a task, a turn, a worker of a supervisor.
 * B2. What the log does not say outright is inferred, and marked: when somebody who vanished did stop.
 * B3. Waves are read from what steps need. Nobody writes them down.
 */
import type { LogCommit } from '../log/rows.ts'
import { HANDLERS, type Told } from './handlers.ts'

export type Kind = 'step' | 'task' | 'turn' | 'worker'
export type Outcome = 'open' | 'good' | 'bad' | 'back'

export interface Bar {
  readonly id: string
  /** The actor. */
  readonly lane: string
  readonly kind: Kind
  readonly label: string
  /** Milliseconds since 1970. */
  readonly start: number
  /** Undefined while it goes on. */
  end?: number
  /** From here on it is inferred that it went on (B2). */
  sure?: number
  outcome: Outcome
  /** In words. */
  said: string
  /** The commit that began it. */
  readonly seq: number
  /** Of the workflow, for steps. */
  readonly state?: string | null
  readonly name?: string
}

export interface Arrow {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly start: number
  /** Undefined until somebody took it. */
  end?: number
  said: string
  readonly what: string
  readonly seq: number
}

export interface Band {
  readonly label: string
  readonly start: number
  end?: number
}

export interface Story {
  readonly bars: Bar[]
  readonly arrows: Arrow[]
  readonly states: Band[]
  readonly waves: Band[]
  /** Actor -> from when to when it was there. */
  readonly present: Map<string, { readonly start: number; end?: number; inferred?: boolean }[]>
  readonly titles: Map<string, string>
  /** Step -> what it needs in its own state. */
  readonly needs: Map<string, readonly string[]>
  readonly open: Map<string, Bar>
  /** The last sign of each actor. */
  readonly signs: Map<string, number>
}

export const EVENTS: readonly string[] = Object.keys(HANDLERS)

/** `commits` in order, the oldest first. */
export function tell(commits: readonly LogCommit[]): Story {
  const lists = { bars: [], arrows: [], states: [], waves: [] }
  const maps = { present: new Map(), titles: new Map(), needs: new Map(), open: new Map(), signs: new Map() }
  const story: Story = { ...lists, ...maps }
  for (const { at, actor, seq, events } of commits) {
    const meta = { at: Date.parse(at), actor, seq }
    for (const event of events) {
      // Whatever type an event has that is in the list, its data is of that type.
      const handle = HANDLERS[event.type as Told['type']] as Handle | undefined
      handle?.(event.data, meta, story)
    }
    story.signs.set(actor, meta.at)
  }
  story.waves.push(...wavesOf(story))
  return story
}

type Handle = (data: unknown, meta: { at: number; actor: string; seq: number }, story: Story) => void

/** B3 */
function wavesOf({ bars, needs }: Story): readonly Band[] {
  const depths = new Map<string, number>()
  const depthOf = (step: string): number => {
    const known = depths.get(step)
    if (known !== undefined) return known
    const depth = Math.max(0, ...(needs.get(step) ?? []).map((need) => depthOf(need) + 1))
    depths.set(step, depth)
    return depth
  }
  const found = new Map<string, { label: string; start: number; end?: number }>()
  for (const { kind, state, name = '', start, end = Infinity } of bars) {
    if (kind !== 'step' || state === null || state === undefined) continue
    const wave = depthOf(name) + 1
    const id = `${state} ${wave}`
    const { start: from = start, end: to = 0 } = found.get(id) ?? {}
    found.set(id, { label: `wave ${wave}`, start: Math.min(from, start), end: Math.max(to, end) })
  }
  return [...found.values()].map(({ end, ...band }) =>
    end === Infinity || end === undefined ? band : { ...band, end },
  )
}
