/*
 * What stops agents that talk in circles: T9 of turns.ts.
 */
import type { Channel, Guard, Trip } from './events.ts'

export const NO_GUARD: Guard = { turns: 0, prints: [], tokens: 0, cost_usd: 0 }

/** How far back a repetition is looked for. */
export const PRINTS_KEPT = 12

export interface Tripped {
  readonly trip: Trip
  readonly note: string
}

/** Why the next turn should wait for a person. */
export function tripOf(channel: Channel): Tripped | undefined {
  const { config, guard } = channel
  const { turns, tokens, cost_usd } = guard
  if (config.max_turns !== null && turns >= config.max_turns)
    return { trip: 'turns', note: `${turns} turns without a person, the limit is ${config.max_turns}` }
  return (
    repetition(guard.prints, config.max_repeats) ??
    over('tokens', tokens, config.max_tokens) ??
    over('cost', cost_usd, config.max_cost_usd)
  )
}

/** 70 cents and 10 are 80, whatever the binary fractions say. */
const ROUNDING = 1e-9

/** To the cent, or below one as far as it counts. */
const dollars = (amount: number): string => `$${amount < 0.01 ? Number(amount.toPrecision(2)) : amount.toFixed(2)}`

function over(trip: 'tokens' | 'cost', used: number, most: number | null): Tripped | undefined {
  if (most === null || used < most - ROUNDING) return undefined
  const say = (amount: number) => (trip === 'cost' ? dollars(amount) : `${amount} tokens`)
  return { trip, note: `${say(used)} spent, the limit is ${say(most)}` }
}

/** One agent says the same again and again; with others in between it is a ping-pong. */
function repetition(prints: readonly string[], most: number | null): Tripped | undefined {
  const last = prints.at(-1)
  if (most === null || last === undefined) return undefined
  const times = prints.filter((each) => each === last).length
  if (times < most) return undefined
  const [agent = ''] = last.split(' ')
  const alone = prints.slice(prints.indexOf(last)).every((each) => each.startsWith(`${agent} `))
  return { trip: alone ? 'repeated' : 'ping-pong', note: `${agent} said the same ${times} times` }
}

/** Of the words alone: case, spaces and punctuation make no difference. */
export function fingerprint(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return hash53(words === '' ? text.trim() : words)
}

/** cyrb53: 53 bits are plenty to tell a dozen messages apart, and need nothing but arithmetic. */
function hash53(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  const mix = (a: number, b: number) =>
    Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  const value = 4_294_967_296 * (2_097_151 & mix(low, high)) + (mix(high, low) >>> 0)
  return value.toString(16).padStart(14, '0')
}
