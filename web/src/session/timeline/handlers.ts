/** What each kind of event adds to the story. */
import type { AgentEvent } from '../../../../src/domain/agents/events.ts'
import type { HandoffEvent } from '../../../../src/domain/messages/events.ts'
import type { StepEvent } from '../../../../src/domain/steps/events.ts'
import type { SupervisionEvent } from '../../../../src/domain/supervision/events.ts'
import type { TaskEvent } from '../../../../src/domain/tasks/events.ts'
import type { TurnEvent } from '../../../../src/domain/turns/events.ts'
import type { WorkflowEvent } from '../../../../src/domain/workflow/events.ts'
import type { Bar, Outcome, Story } from './story.ts'

export type Told = StepEvent | TaskEvent | TurnEvent | AgentEvent | HandoffEvent | SupervisionEvent | WorkflowEvent

interface Meta {
  readonly at: number
  readonly actor: string
  readonly seq: number
}

type Handlers = { readonly [E in Told as E['type']]?: (data: E['data'], meta: Meta, story: Story) => void }

const actorOf = (id: string): string => (id.includes(':') ? id : `agent:${id}`)

function begin(story: Story, id: string, bar: Omit<Bar, 'id' | 'outcome' | 'said'>): void {
  const before = story.open.get(id)
  // Nobody said what became of it: it went on until this began, at most.
  if (before !== undefined)
    end(story, id, { at: bar.start, outcome: 'back', said: 'outcome unknown', sure: before.start })
  const fresh: Bar = { ...bar, id: `${id} ${bar.seq}`, outcome: 'open', said: 'under way' }
  story.bars.push(fresh)
  story.open.set(id, fresh)
}

interface End {
  readonly at: number
  readonly outcome: Outcome
  readonly said: string
  readonly sure?: number
}

function end(story: Story, id: string, { at, outcome, said, sure }: End): void {
  const bar = story.open.get(id)
  if (bar === undefined) return
  story.open.delete(id)
  bar.end = Math.max(at, bar.start)
  if (sure !== undefined) bar.sure = Math.max(bar.start, Math.min(sure, bar.end))
  bar.outcome = outcome
  bar.said = said
}

/** Its claim ran out, or its holder vanished: work stopped somewhere behind the last sign. */
function returned(story: Story, id: string, cause: string, at: number): void {
  const bar = story.open.get(id)
  const sure = cause === 'released' || bar === undefined ? undefined : story.signs.get(bar.lane)
  end(story, id, { at, outcome: 'back', said: `given back: ${cause}`, ...(sure === undefined ? {} : { sure }) })
}

const endTask =
  (outcome: Outcome, said: string) =>
  ({ id }: { readonly id: string }, { at }: Meta, story: Story) =>
    end(story, `task ${id}`, { at, outcome, said })

const endArrow =
  (said: string) =>
  ({ id }: { readonly id: string }, { at }: Meta, { arrows }: Story) => {
    const arrow = arrows.findLast((each) => each.id === id)
    if (arrow === undefined) return
    arrow.end ??= at
    arrow.said = said
  }

function enter({ states }: Story, label: string, at: number): void {
  const last = states.at(-1)
  if (last !== undefined) last.end = at
  states.push({ label, start: at })
}

const step = (token: number) => `step ${token}`
const worker = ({ supervisor, worker: name }: { supervisor: string; worker: string }) => `worker ${supervisor} ${name}`
const turn = ({ channel, token }: { channel: string; token: number }) => `turn ${channel} ${token}`

export const HANDLERS: Handlers = {
  'step.started': ({ key, token, name, state, attempt }, { at, actor, seq }, story) => {
    const label = attempt > 1 ? `${name} (${attempt})` : name
    const lost = [...story.open].find(([id, bar]) => id.startsWith('step ') && bar.name === name)
    if (lost !== undefined) end(story, lost[0], { at, outcome: 'back', said: 'outcome unknown', sure: lost[1].start })
    begin(story, step(token), { lane: actor, kind: 'step', label, start: at, seq, state, name })
    story.titles.set(key, name)
  },
  'step.finished': ({ token }, { at }, story) => end(story, step(token), { at, outcome: 'good', said: 'finished' }),
  'step.failed': ({ token, reason }, { at }, story) =>
    end(story, step(token), { at, outcome: 'bad', said: `failed: ${reason}` }),
  'task.added': ({ id, title }, _meta, story) => void story.titles.set(id, title),
  'task.claimed': ({ id, holder }, { at, seq }, story) =>
    begin(story, `task ${id}`, {
      lane: actorOf(holder),
      kind: 'task',
      label: story.titles.get(id) ?? id,
      start: at,
      seq,
    }),
  'task.submitted': endTask('good', 'handed in'),
  'task.completed': endTask('good', 'completed'),
  'task.failed': ({ id, reason }, { at }, story) =>
    end(story, `task ${id}`, { at, outcome: 'bad', said: `failed: ${reason}` }),
  'task.blocked': ({ id, reason }, { at }, story) =>
    end(story, `task ${id}`, { at, outcome: 'back', said: `blocked: ${reason}` }),
  'task.cancelled': endTask('back', 'cancelled'),
  'task.returned': ({ id, cause }, { at }, story) => returned(story, `task ${id}`, cause, at),
  'turn.started': (data, { at, seq }, story) =>
    begin(story, turn(data), { lane: actorOf(data.agent), kind: 'turn', label: data.channel, start: at, seq }),
  'turn.ended': (data, _meta, story) =>
    end(story, turn(data), {
      at: Date.parse(data.at),
      outcome: data.reason === 'timeout' ? 'back' : 'good',
      said: `ended: ${data.reason}`,
    }),
  'supervision.worker-begun': (data, { at, actor, seq }, story) =>
    begin(story, worker(data), { lane: actor, kind: 'worker', label: data.worker, start: at, seq }),
  'supervision.worker-reported': (data, { at }, story) =>
    end(story, worker(data), { at, outcome: 'good', said: 'reported' }),
  'supervision.worker-returned': (data, { at }, story) => returned(story, worker(data), data.reason, at),
  'supervision.worker-failed': (data, { at }, story) =>
    end(story, worker(data), { at, outcome: 'bad', said: `failed: ${data.reason}` }),
  'agent.registered': ({ id }, { at }, { present }) => {
    const lane = actorOf(id)
    present.set(lane, [...(present.get(lane) ?? []), { start: at }])
  },
  'agent.removed': ({ id, cause }, { at }, { present, signs }) => {
    const last = present.get(actorOf(id))?.at(-1)
    if (last === undefined) return
    const isLost = cause === 'crashed' || cause === 'timeout' || cause === 'orphaned'
    last.end = isLost ? (signs.get(actorOf(id)) ?? at) : at
    last.inferred = isLost
  },
  'handoff.created': ({ id, from_agent, to_agent, task_id }, { at, seq }, { arrows, titles }) => {
    const what = titles.get(task_id) ?? task_id
    arrows.push({ id, from: actorOf(from_agent), to: actorOf(to_agent), start: at, said: 'offered', what, seq })
  },
  'handoff.acknowledged': endArrow('accepted'),
  'handoff.completed': endArrow('completed'),
  'handoff.rejected': endArrow('rejected'),
  'workflow.defined': ({ definition, current }, { at }, story) => {
    for (const { steps } of Object.values(definition.states))
      for (const [name, { needs = [] }] of Object.entries(steps))
        story.needs.set(
          name,
          needs.filter((need) => Object.hasOwn(steps, need)),
        )
    enter(story, current, at)
  },
  'workflow.transitioned': ({ to }, { at }, story) => enter(story, to, at),
  'workflow.completed': (_data, { at }, { states }) => {
    const last = states.at(-1)
    if (last !== undefined) last.end = at
  },
}
