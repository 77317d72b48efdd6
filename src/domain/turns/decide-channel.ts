/* Channels, and how they are set. */
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { channelFor, isRefusal, type Decided, type State } from './ask.ts'
import type { Channel, ChannelConfig } from './events.ts'
import { isSignal } from './signal.ts'
import { channelIn, turnsOf } from './turns.ts'

export const DEFAULT_CONFIG: Omit<ChannelConfig, 'name'> = {
  mode: 'turn-based',
  order: 'round-robin',
  human: 'inject',
  signal: 'TURN_COMPLETE',
  timeout_ms: 60_000,
  timeouts: {},
  interrupt_ms: 60_000,
  max_turns: 50,
  max_repeats: 3,
  max_tokens: null,
  max_cost_usd: null,
}

type Settings = { readonly [K in keyof ChannelConfig]?: ChannelConfig[K] | undefined }

/** A limit of 0 is none. */
const LIMITS = ['max_turns', 'max_repeats', 'max_tokens', 'max_cost_usd'] as const

interface Given extends Settings {
  readonly channel: string
}

export function decideCreate(root: State, { channel, ...given }: Given): Decided {
  if (channelIn(turnsOf(root), channel) !== undefined)
    return refuse('NAME_TAKEN', `there is a channel "${channel}"`, { hint: `steadfold channel set ${quoted(channel)}` })
  const config = settled({ name: channel, ...DEFAULT_CONFIG }, given)
  return badSignal(config) ?? accept({ type: 'turn.channel-created', data: { channel, config } })
}

/** Also by those who may not take part: else nobody could let them in again. */
export function decideSet(root: State, { channel: id, ...given }: Given): Decided {
  const channel = channelFor(root, id)
  if (isRefusal(channel)) return channel
  const config = settled(channel.config, given)
  const no = badSignal(config) ?? badMode(channel, config)
  if (no !== undefined) return no
  const isSame = JSON.stringify(config) === JSON.stringify(channel.config)
  return isSame ? accept() : accept({ type: 'turn.channel-set', data: { channel: id, config } })
}

/** With its messages; the log keeps them. */
export function decideRemove(root: State, { channel: id }: { readonly channel: string }): Decided {
  const channel = channelFor(root, id)
  if (isRefusal(channel)) return channel
  if (channel.turn === null) return accept({ type: 'turn.channel-removed', data: { channel: id } })
  return refuse('TURN_STATUS_INVALID', `${channel.turn.agent} has the turn in "${id}"`, {
    hint: `steadfold turn pause ${quoted(id)}, so that nobody follows; then steadfold turn end ${quoted(id)} --agent ${quoted(channel.turn.agent)}`,
  })
}

function settled(before: ChannelConfig, given: Settings): ChannelConfig {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  const config: ChannelConfig = { ...before, ...Object.fromEntries(said) }
  const none = LIMITS.filter((name) => config[name] === 0).map((name) => [name, null])
  const roles = config.roles?.filter((role) => role.trim() !== '')
  return { ...config, ...(roles === undefined ? {} : { roles }), ...Object.fromEntries(none) }
}

function badSignal({ signal }: ChannelConfig): Refusal | undefined {
  if (isSignal(signal)) return undefined
  return refuse('INPUT_INVALID', `"${signal}" cannot be the signal: one word, without Markdown marks around it`, {
    hint: 'such as TURN_COMPLETE or [done]',
  })
}

function badMode({ id, turn, queue, config: { mode: before } }: Channel, { mode }: ChannelConfig): Refusal | undefined {
  if (mode === before) return undefined
  if (turn !== null)
    return refuse('TURN_STATUS_INVALID', `${turn.agent} has the turn in "${id}": the mode cannot change now`, {
      hint: `steadfold turn end ${quoted(id)} --agent ${quoted(turn.agent)}`,
    })
  const one = mode === 'direct' || mode === 'single'
  if (!one || queue.length <= 1) return undefined
  return refuse('LIMIT_REACHED', `${queue.length} sit in channel "${id}", and ${mode} is for one`, {
    hint: `steadfold turn leave ${quoted(id)} AGENT`,
  })
}
