/* What happened so far, as text for whoever routes next. */
import { isUser, nameOf } from './story.ts'
import type { Timeline } from './timeline.ts'
import type { Story, Turn } from './told.ts'
import { missingOf, statusOf } from './turns.ts'

export interface RoutingContext {
  /** What the first person said. */
  readonly user_request: string
  readonly workflow_narrative: string
  /** Turns that somebody is still expected in. */
  readonly open_turns: readonly string[]
}

/** `now` in seconds. */
export function routingContext({ list, story }: Timeline, now: number): RoutingContext {
  const asked = list.find(({ event }) => event.content !== '' && isUser(story, event.pubkey))
  return {
    user_request: asked?.event.content ?? '',
    workflow_narrative: narrative(story, now),
    open_turns: story.turns.filter((turn) => statusOf(turn, now) === 'open').map(({ id }) => id),
  }
}

function narrative(story: Story, now: number): string {
  if (story.turns.length === 0) return 'Nobody has been routed yet.'
  return story.turns.map((turn, i) => turnText(story, turn, { number: i + 1, now })).join('\n')
}

function turnText(
  story: Story,
  turn: Turn,
  { number, now }: { readonly number: number; readonly now: number },
): string {
  const names = (authors: readonly string[]) => authors.map((author) => nameOf(story, author)).join(', ')
  const reason = turn.reason === '' ? '' : `: ${turn.reason}`
  const missing = missingOf(turn)
  return [
    `Turn ${number} (${turn.phase}) went to ${names(turn.agents)}${reason}`,
    ...turn.completions.map(
      ({ agent, summary, late }) => `  ${nameOf(story, agent)} completed${late ? ' too late' : ''}: ${summary}`,
    ),
    `  ${statusOf(turn, now)}${missing.length === 0 ? '' : `; not yet: ${names(missing)}`}`,
  ].join('\n')
}
