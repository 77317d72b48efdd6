/*
 * A breaker keeps a command that fails for everybody from being paid for by everybody.
 *
 *   closed ──3 failures in a row──► open ──60 s──► one attempt at a time ──2 successes──► closed
 *                                     ▲                     │ failure
 *                                     └─────────────────────┘
 *
 * A person who retries or releases a step of the family closes it at once.
 */
import { whole } from '../../kernel/text/whole.ts'
import type { Breaker, Command } from './events.ts'

const OPENS_AFTER = 3
const CLOSES_AFTER = 2
export const BREAKER_MS = 60_000

export const CLOSED: Breaker = { failures: 0, successes: 0, until: null, probe: null }

/** Why an attempt of the family may not start now. */
export type Hold = { readonly until: number } | { readonly probe: string }

export function hold(breaker: Breaker, now: number): Hold | undefined {
  if (breaker.until === null) return undefined
  if (now < breaker.until) return { until: breaker.until }
  return breaker.probe === null ? undefined : { probe: breaker.probe }
}

export const opens = ({ until, failures }: Breaker): boolean => until !== null || failures + 1 >= OPENS_AFTER

export const closes = ({ until, successes }: Breaker): boolean => until !== null && successes + 1 >= CLOSES_AFTER

/** Programs that say little without what they run. */
const INTERPRETERS =
  /^(node|bun|deno|tsx|npx|npm|pnpm|yarn|python[\d.]*|ruby|perl|php|bash|dash|sh|zsh|env|uv|uvx|java|go|cargo|make)$/
/** Words of the shell, and variables: what they begin says nothing of what fails. */
const SHELL_WORDS =
  /^([[({!:].*|\w+=.*|cd|echo|printf|exit|test|set|export|eval|exec|trap|wait|read|source|true|false|sleep|if|for|while|until|case)$/
const LONGEST = 100

/** `node workers/plan.mjs --deep` is of family `node plan.mjs`; `claude -p …` of family `claude`; `cd app && …` is its own. */
export function familyOf(command: Command): string {
  const words = typeof command === 'string' ? command.replace(/["']/g, '').trim().split(/\s+/) : (command ?? ['gate'])
  if (SHELL_WORDS.test(words[0] ?? '')) return whole(words.join(' '), LONGEST)
  const [program = '', ...rest] = words.map((word) => word.slice(word.lastIndexOf('/') + 1))
  const script = rest.find((word) => !word.startsWith('-'))
  return whole(INTERPRETERS.test(program) && script !== undefined ? `${program} ${script}` : program, LONGEST)
}
