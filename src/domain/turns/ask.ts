/* Who asks for what, and the ways to say no: shared by the decisions of this module. */
import { refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import type { Context } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { seatOf } from './channel.ts'
import type { Channel, Seat, TurnEvent } from './events.ts'
import { hasTurns } from './ring.ts'
import { shutOut } from './roles.ts'
import { channelIn, turnsOf } from './turns.ts'

export type State = Readonly<Tree>
export type Decided = Accepted<TurnEvent> | Refusal

/** What every operation on a channel is told. */
export interface Asked {
  readonly channel: string
  /** Whose turn it is about; that of who asks when left out. */
  readonly agent?: string | undefined
  readonly token?: number | undefined
}

/** For reads, which name a channel or none. Throws NOT_FOUND for one that is not there. */
export function mustBe(root: State, id: string | undefined): void {
  const place = id === undefined ? undefined : channelFor(root, id)
  if (place === undefined || !isRefusal(place)) return
  const { code, message, hint } = place
  throw new EngineError(code, message, hint === undefined ? {} : { hint })
}

export interface Found {
  readonly channel: Channel
  /** Undefined when a person or a tool asks for nobody. */
  readonly agent: string | undefined
}

export function channelFor(root: State, id: string): Channel | Refusal {
  const slice = turnsOf(root)
  return channelIn(slice, id) ?? noChannel(id, Object.keys(slice?.channels ?? {}))
}

/** The channel, and the agent it is about: that named, else the one that asks. An agent acts for no other. */
export function found(root: State, { channel: id, agent: named }: Asked, actor: string): Found | Refusal {
  const channel = channelFor(root, id)
  if (isRefusal(channel)) return channel
  const outside = shutOut(root, channel, actor)
  if (outside !== undefined) return outside
  const asking = agentOf(actor)
  if (asking !== undefined && named !== undefined && asking !== named)
    return refuse('INPUT_INVALID', `agent "${asking}" cannot act for "${named}"`, { hint: `leave --agent out` })
  return { channel, agent: named ?? asking }
}

export const isRefusal = <T extends object>(value: T | Refusal): value is Refusal =>
  'kind' in value && value.kind === 'refused'

export const agentOf = (actor: string): string | undefined =>
  actor.startsWith('agent:') ? actor.slice('agent:'.length) : undefined

export const isPerson = (actor: string): boolean => actor.startsWith('human:')

export const isMember = (channel: Channel, agent: string | undefined): Seat | undefined =>
  agent === undefined ? undefined : seatOf(channel, agent)

/** T6: under the token of a turn that time took, the last or one before; without a token while it has no other. */
export function isLate(channel: Channel, agent: string, token: number | undefined): boolean {
  const late = seatOf(channel, agent)?.late ?? null
  if (late === null) return false
  const has = channel.turn?.agent === agent ? channel.turn.token : undefined
  return token === undefined ? has === undefined : token !== has && token <= late
}

function noChannel(id: string, known: readonly string[]): Refusal {
  return refuse(
    'NOT_FOUND',
    `there is no channel "${id}"${known.length === 0 ? '' : `; there are: ${known.join(', ')}`}`,
    {
      hint: `steadfold channel create ${quoted(id)}`,
    },
  )
}

export function notSeated({ id }: Channel, agent: string | undefined): Refusal {
  if (agent === undefined)
    return refuse('INPUT_INVALID', 'which agent it is about was not said', {
      hint: 'add --agent NAME, or ask as one: --as agent:NAME',
    })
  return refuse('NOT_FOUND', `"${agent}" does not sit in channel "${id}"`, {
    hint: `steadfold turn join ${quoted(id)} ${quoted(agent)}`,
  })
}

/** T1 */
export function notYours(channel: Channel, agent: string, { now }: Pick<Context, 'now'>): Refusal {
  const { id, turn, hold } = channel
  const details = { channel: id, turn, queue: channel.queue }
  if (hold !== null) return held(channel)
  if (turn === null)
    return refuse('TURN_STATUS_INVALID', `nobody has the turn in "${id}", and "${agent}" has not taken it`, {
      hint: `steadfold turn take ${quoted(id)} --as ${quoted(`agent:${agent}`)}`,
      details,
    })
  const left = Math.max(0, Math.ceil((turn.deadline - now) / 1000))
  return refuse('LEASE_HELD', `it is not the turn of "${agent}" in "${id}": ${turn.agent} has it for ${left} s more`, {
    hint: `steadfold wait --turn ${quoted(agent)} --channel ${quoted(id)}`,
    details,
  })
}

export function staleTurn({ id, turn }: Channel, agent: string, token: number): Refusal {
  const now = turn?.agent === agent ? `it has turn ${turn.token} now` : `${turn?.agent ?? 'nobody'} has the turn`
  return refuse('LEASE_LOST', `turn ${token} of "${agent}" in "${id}" is over: ${now}`, {
    hint: `drop what was done for it; steadfold wait --turn ${quoted(agent)} --channel ${quoted(id)}`,
    details: { channel: id, turn },
  })
}

/** The channel stands still. */
export function held({ id, hold }: Channel): Refusal {
  const why = hold?.note === null || hold === null ? '' : `: ${hold.note}`
  const hint = `steadfold turn resume ${quoted(id)}`
  if (hold?.kind === 'guard')
    return refuse('NEEDS_PERSON', `channel "${id}" has stopped${why}`, { hint, details: { hold } })
  const what = hold?.kind === 'interrupt' ? 'is interrupted' : 'is paused'
  return refuse('LEASE_HELD', `channel "${id}" ${what} by ${hold?.by ?? ''}${why}`, { hint, details: { hold } })
}

/** For what makes sense only where there are turns. */
export function withoutTurns(channel: Channel): Refusal | undefined {
  if (hasTurns(channel)) return undefined
  return refuse('TURN_STATUS_INVALID', `channel "${channel.id}" is ${channel.config.mode}: there are no turns in it`, {
    hint: `steadfold turn say ${quoted(channel.id)} TEXT; or steadfold channel set ${quoted(channel.id)} --mode turn-based`,
  })
}
