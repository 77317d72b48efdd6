/* What becomes of a message: T1, T4, T5, T6, T8 and T9 of turns.ts, T10 of trigger.ts. */
import { accept, refuse } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import {
  found,
  held,
  isLate,
  isRefusal,
  notSeated,
  notYours,
  staleTurn,
  type Asked,
  type Decided,
  type State,
} from './ask.ts'
import { after, seatOf } from './channel.ts'
import type { Channel, ChannelEvent, Said } from './events.ts'
import { fingerprint } from './guard.ts'
import { follow, guarded, hasTurns, pass, resumption, takeOver, type Called } from './ring.ts'
import { readSignal } from './signal.ts'
import { calledBy } from './trigger.ts'

export interface Saying extends Asked {
  readonly text: string
  readonly tokens?: number | undefined
  readonly cost_usd?: number | undefined
}

interface Spoken {
  readonly text: string
  readonly signal: boolean
}

export function decideSay(root: State, saying: Saying, context: Context): Decided {
  const asked = found(root, saying, context.actor)
  if (isRefusal(asked)) return asked
  const { channel, agent } = asked
  const spoken = readSignal(saying.text, channel.config.signal)
  if (spoken.text.trim() === '' && !spoken.signal)
    return refuse('INPUT_INVALID', 'there is nothing to say', { hint: `steadfold turn say ${quoted(channel.id)} TEXT` })
  if (agent === undefined) return isOfTurn(saying) ? notSeated(channel, agent) : otherSays(channel, spoken, context)
  if (seatOf(channel, agent) === undefined && channel.config.mode !== 'broadcast') return notSeated(channel, agent)
  const saw = { spoken, saying }
  return hasTurns(channel) ? agentSays(channel, agent, saw, context) : freely(channel, agent, saw, context)
}

/** A token and a cost are those of an agent. */
const isOfTurn = ({ token, tokens = 0, cost_usd = 0 }: Saying): boolean =>
  token !== undefined || tokens > 0 || cost_usd > 0

/** T1 and T6 */
function agentSays(channel: Channel, agent: string, saw: Saw, context: Context): Decided {
  const { token } = saw.saying
  if (isLate(channel, agent, token)) return lately(channel, agent, saw, context)
  const mine = channel.turn?.agent === agent && (token ?? channel.turn.token) === channel.turn.token
  if (!mine) return token === undefined ? notYours(channel, agent, context) : staleTurn(channel, agent, token)
  return channel.hold === null ? inTurn(channel, agent, saw, context) : held(channel)
}

interface Saw {
  readonly spoken: Spoken
  readonly saying: Saying
}

function inTurn(channel: Channel, agent: string, saw: Saw, context: Context): Decided {
  const said = words(channel, agent, saw, { ...context, turn: channel.turn?.token ?? null, late: false })
  const now = after(channel, said, context)
  const called = callIn(now, saw.spoken.text, { speaker: agent, by: `agent:${agent}` })
  if (saw.spoken.signal) return accept(...said, ...pass(now, { reason: 'complete', called }, context))
  const stop = guarded(now, context)
  return accept(...said, ...(stop.length > 0 || called === undefined ? stop : takeOver(now, called, context)))
}

/** T10 */
function callIn(
  channel: Channel,
  text: string,
  { speaker, by }: { readonly speaker: string | null; readonly by: string },
): Called | undefined {
  const agent = channel.hold === null ? calledBy(channel, text, speaker) : undefined
  return agent === undefined ? undefined : { agent, by }
}

/** T6: whatever it says, the turn of another goes on. */
function lately(channel: Channel, agent: string, saw: Saw, context: Context): Decided {
  const turn = saw.saying.token ?? seatOf(channel, agent)?.late ?? null
  // A signal alone has nothing to post; the turn it would end is over.
  const said = words(channel, agent, saw, { ...context, turn, late: true })
  return accept(...said, ...guarded(after(channel, said, context), context))
}

/** In a channel without turns. */
function freely(channel: Channel, agent: string, saw: Saw, context: Context): Decided {
  if (channel.hold !== null) return held(channel)
  const said = words(channel, agent, saw, { ...context, turn: null, late: false })
  return accept(...said, ...guarded(after(channel, said, context), context))
}

interface Around extends Context {
  readonly turn: number | null
  readonly late: boolean
}

/** T4: a signal alone posts nothing, but may have cost something. */
function words(channel: Channel, agent: string, { spoken, saying }: Saw, around: Around): readonly ChannelEvent[] {
  const { text, signal } = spoken
  const { turn, late, actor } = around
  const { tokens = 0, cost_usd = 0 } = saying
  const data: Said = {
    channel: channel.id,
    author: `agent:${agent}` === actor ? actor : `agent:${agent}`,
    agent,
    text,
    turn,
    late,
    posted: true,
    signal,
    print: fingerprint(text),
  }
  return [
    ...(text === '' ? [] : [{ type: 'turn.said', data } as const]),
    ...(tokens === 0 && cost_usd === 0
      ? []
      : [{ type: 'turn.spent', data: { channel: channel.id, agent, tokens, cost_usd } } as const]),
  ]
}

/** A person, or a tool, speaks whenever it wants; what that does to a turn is up to the channel. */
function otherSays(channel: Channel, spoken: Spoken, context: Context): Decided {
  const { human } = channel.config
  const isPerson = context.actor.startsWith('human:')
  const mode = channel.turn === null || !hasTurns(channel) ? 'inject' : isPerson ? human : 'inject'
  const said = heardFrom(channel, spoken, context.actor, mode)
  const now = after(channel, said, context)
  if (mode === 'interrupt') return accept(...said, ...interrupted(now, spoken, context))
  if (mode !== 'inject' || !hasTurns(channel) || said.length === 0) return accept(...said)
  const called = callIn(now, spoken.text, { speaker: null, by: context.actor })
  // T5: who is idle is started by the message of another.
  if (channel.turn === null) return accept(...said, ...follow(now, null, context, called))
  return accept(...said, ...(called === undefined ? [] : takeOver(now, called, context)))
}

type Way = Channel['config']['human']

function heardFrom({ id, turn }: Channel, { text, signal }: Spoken, author: string, way: Way): readonly ChannelEvent[] {
  if (text === '') return []
  const within = way === 'parallel' ? null : (turn?.token ?? null)
  if (way === 'queue') return [{ type: 'turn.kept', data: { channel: id, author, text, turn: within } }]
  const heard = { agent: null, text, turn: within, late: false, posted: true, signal, print: null }
  const data: Said = { channel: id, author, ...heard }
  return [{ type: 'turn.said', data }]
}

/** The turn waits until the person is done: with the signal, with `turn resume`, or when the interruption is over. */
function interrupted(channel: Channel, { signal }: Spoken, context: Context): readonly ChannelEvent[] {
  const { id, turn, hold, config } = channel
  const { actor: by, now } = context
  if (hold !== null && hold.kind !== 'interrupt') return []
  if (signal) return hold === null ? [] : [resumption(channel, by, context)]
  const left = hold === null ? Math.max(0, (turn?.deadline ?? now) - now) : hold.left
  const until = now + config.interrupt_ms
  return [{ type: 'turn.held', data: { channel: id, kind: 'interrupt', trip: null, by, note: null, until, left } }]
}
