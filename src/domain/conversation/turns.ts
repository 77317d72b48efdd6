/* C5. Routing turns: who is to act, who has, and what of it came too late. Decided by the times of events, never by a clock. */
import type { ChatEvent } from './events.ts'
import { isPhase } from './phases.ts'
import { tagOf, tagsOf } from './tags.ts'
import { PARTIAL_POLICIES, type Story, type Turn } from './told.ts'

export type TurnStatus = 'open' | 'completed' | 'partial' | 'failed' | 'timed out'

export function route(story: Story, event: ChatEvent, at: number): void {
  const agents = [...new Set(tagsOf(event, 'route').flatMap(([, ...names]) => names))].filter((name) => name !== '')
  if (agents.length === 0) {
    story.violations.push({ event: event.id, why: 'a turn needs an agent' })
    return
  }
  const seconds = Number(tagOf(event, 'timeout'))
  const phase = tagOf(event, 'phase')
  const partial = tagOf(event, 'partial')
  story.turns.push({
    id: event.id,
    at,
    phase: isPhase(phase) ? phase : story.phase,
    agents,
    reason: tagOf(event, 'reason') ?? event.content,
    deadline: seconds > 0 && Number.isFinite(seconds) ? at + seconds : null,
    partial: PARTIAL_POLICIES.find((policy) => policy === partial) ?? 'wait',
    completions: [],
    isCompleted: false,
  })
}

/** It belongs to the most recent open turn that holds the agent. */
export function complete(story: Story, event: ChatEvent, at: number): void {
  const agent = completing(event)
  const turn = story.turns.findLast((each) => !isOver(each, at) && each.agents.includes(agent))
  const missed = story.turns.findLast((each) => !each.isCompleted && each.agents.includes(agent))
  const completion = { agent, event: event.id, at, summary: event.content }
  if (turn !== undefined) {
    turn.completions.push({ ...completion, late: false })
    turn.isCompleted = missingOf(turn).length === 0
  } else if (missed !== undefined) missed.completions.push({ ...completion, late: true })
  else {
    const isKnown = story.turns.some(({ agents }) => agents.includes(agent))
    story.strays.push({ agent, event: event.id, why: isKnown ? 'no open turn' : 'unknown agent' })
  }
}

/** A plain event may speak for an agent; a signed one speaks for its author. */
export function completing(event: ChatEvent): string {
  const named = tagOf(event, 'complete')
  return event.sig === null && named !== undefined && named !== '' ? named : event.pubkey
}

export function missingOf({ agents, completions }: Turn): readonly string[] {
  const done = new Set(completions.filter(({ late }) => !late).map(({ agent }) => agent))
  return agents.filter((agent) => !done.has(agent))
}

/** `now` in seconds. */
export function statusOf(turn: Turn, now: number): TurnStatus {
  if (turn.isCompleted) return 'completed'
  if (turn.deadline === null || now <= turn.deadline) return 'open'
  if (turn.completions.every(({ late }) => late) && turn.partial !== 'wait') return 'timed out'
  if (turn.partial === 'wait') return 'open'
  return turn.partial === 'accept' ? 'partial' : 'failed'
}

const isOver = (turn: Turn, now: number): boolean => statusOf(turn, now) !== 'open'
