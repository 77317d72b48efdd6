/* Turns that are given, taken, ended and prolonged by an operation of their own: T1–T3, T6 and T8 of turns.ts. */
import { accept, alreadySo, refuse, type Refusal } from '../../kernel/decision.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import {
  agentOf,
  found,
  held,
  isLate,
  isMember,
  isPerson,
  isRefusal,
  notSeated,
  notYours,
  staleTurn,
  withoutTurns,
  type Asked,
  type Decided,
  type State,
} from './ask.ts'
import { after } from './channel.ts'
import type { Channel, ChannelEvent, Turn } from './events.ts'
import { begin, guarded, nextInRing, pass, takeOver } from './ring.ts'

/** Begins where nobody has the turn. */
export function decideStart(root: State, asked: Asked, context: Context): Decided {
  const place = found(root, { ...asked, agent: undefined }, context.actor)
  if (isRefusal(place)) return place
  const { channel } = place
  const no = withoutTurns(channel) ?? (channel.hold === null ? undefined : held(channel))
  if (no !== undefined) return no
  if (channel.turn !== null) return taken(channel, channel.turn, context)
  const agent = asked.agent ?? nextInRing(channel, null)
  if (agent === undefined) return nobody(channel)
  return notThere(channel, agent) ?? accept(...begin(channel, agent, context, cursorFor(channel, agent, context.actor)))
}

/** Takes the turn, also from another where that is allowed; that one comes next (T3). */
export function decideTake(root: State, asked: Asked, context: Context): Decided {
  const place = found(root, asked, context.actor)
  if (isRefusal(place)) return place
  const { channel, agent } = place
  const no = withoutTurns(channel) ?? (channel.hold === null ? undefined : held(channel))
  if (no !== undefined) return no
  const seat = isMember(channel, agent)
  if (agent === undefined || seat === undefined) return notSeated(channel, agent)
  const absent = notThere(channel, agent)
  if (absent !== undefined) return absent
  const { turn } = channel
  if (turn === null) return accept(...begin(channel, agent, context, cursorFor(channel, agent, context.actor)))
  if (turn.agent === agent) return alreadySo({ channel: channel.id, agent, token: turn.token })
  if (!seat.can_interrupt && agentOf(context.actor) !== undefined) return notYours(channel, agent, context)
  return accept(...takeOver(channel, { agent, by: context.actor }, context))
}

/** Ends one's turn without a word. */
export function decideEnd(root: State, asked: Spending, context: Context): Decided {
  const place = found(root, asked, context.actor)
  if (isRefusal(place)) return place
  const { channel } = place
  const agent = place.agent ?? channel.turn?.agent
  const spent = spending(channel, agent ?? '', asked)
  // T6: time has ended the turn, but not what it cost.
  if (spent.length > 0 && place.agent !== undefined && isLate(channel, place.agent, asked.token))
    return accept(...spent, ...guarded(after(channel, spent, context), context))
  const no = notWith(channel, { ...asked, agent }, context)
  if (no !== undefined) return no
  return accept(...spent, ...pass(after(channel, spent, context), { reason: 'complete' }, context))
}

/** Ends the turn of whoever has it; for people, tools, and agents that may interrupt. */
export function decideSkip(root: State, asked: Asked, context: Context): Decided {
  const place = found(root, { ...asked, agent: undefined }, context.actor)
  if (isRefusal(place)) return place
  const { channel } = place
  const no = withoutTurns(channel)
  if (no !== undefined) return no
  const { turn } = channel
  if (turn === null) return nobodyHas(channel)
  if (asked.agent !== undefined && asked.agent !== turn.agent) return notYours(channel, asked.agent, context)
  const asking = agentOf(context.actor)
  const may = asking === undefined || asking === turn.agent || isMember(channel, asking)?.can_interrupt === true
  return may
    ? accept(...pass(channel, { reason: 'interrupt', by: context.actor }, context))
    : notYours(channel, asking, context)
}

/** T8 */
export function decideExtend(root: State, asked: Asked & { readonly by_ms: number }, context: Context): Decided {
  const place = found(root, asked, context.actor)
  if (isRefusal(place)) return place
  const { channel } = place
  const agent = place.agent ?? channel.turn?.agent
  const no = notWith(channel, { ...asked, agent }, context)
  if (no !== undefined) return no
  if (channel.hold !== null) return held(channel)
  const { turn } = channel
  if (turn === null) return nobodyHas(channel)
  const deadline = turn.deadline + asked.by_ms
  return accept({
    type: 'turn.extended',
    data: { channel: channel.id, agent: turn.agent, token: turn.token, deadline },
  })
}

export interface Spending extends Asked {
  readonly tokens?: number | undefined
  readonly cost_usd?: number | undefined
}

function spending({ id }: Channel, agent: string, { tokens = 0, cost_usd = 0 }: Spending): readonly ChannelEvent[] {
  return tokens === 0 && cost_usd === 0 ? [] : [{ type: 'turn.spent', data: { channel: id, agent, tokens, cost_usd } }]
}

/** Undefined when the agent has the turn, and under that token. */
function notWith(channel: Channel, { agent, token }: Asked, context: Context): Refusal | undefined {
  const no = withoutTurns(channel)
  if (no !== undefined) return no
  if (agent === undefined) return nobodyHas(channel)
  if (isMember(channel, agent) === undefined) return notSeated(channel, agent)
  if (channel.turn?.agent === agent && (token ?? channel.turn.token) === channel.turn.token) return undefined
  return token === undefined ? notYours(channel, agent, context) : staleTurn(channel, agent, token)
}

/** T3: who starts out of order leaves the others where they stand. */
function cursorFor(channel: Channel, agent: string, actor: string) {
  const by = isPerson(actor) ? actor : null
  return agent === nextInRing(channel, null) ? { by } : { by, cursor: channel.cursor }
}

function notThere(channel: Channel, agent: string): Refusal | undefined {
  const seat = isMember(channel, agent)
  if (seat === undefined) return notSeated(channel, agent)
  if (seat.state !== 'OFFLINE') return undefined
  return refuse('TURN_STATUS_INVALID', `"${agent}" is OFFLINE in "${channel.id}"`, {
    hint: `steadfold turn join ${quoted(channel.id)} ${quoted(agent)} brings it back to its place`,
  })
}

const taken = (channel: Channel, { agent }: Turn, context: Context): Refusal => {
  const { code, message, details = {} } = notYours(channel, agent, context)
  void message
  return refuse(code, `${agent} has the turn in "${channel.id}" already`, {
    hint: `steadfold turn skip ${quoted(channel.id)} gives it to the next; steadfold turn take ${quoted(channel.id)} AGENT to another`,
    details,
  })
}

const nobody = ({ id, queue }: Channel): Refusal =>
  refuse(
    'TURN_STATUS_INVALID',
    queue.length === 0 ? `nobody sits in channel "${id}"` : `everybody in channel "${id}" is OFFLINE`,
    { hint: `steadfold turn join ${quoted(id)} AGENT` },
  )

const nobodyHas = ({ id }: Channel): Refusal =>
  refuse('TURN_STATUS_INVALID', `nobody has the turn in "${id}"`, { hint: `steadfold turn start ${quoted(id)}` })
