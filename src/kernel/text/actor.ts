const PLAIN = /^(?:human|agent|tool):[!-~]{1,200}$/

/**
 * Whether a word names an actor: `human:`, `agent:` or `tool:` and an id. Nearly all are plain, and the tables of Unicode take
 * a third of a millisecond to set up.
 */
export const isActor = (word: string): boolean =>
  PLAIN.test(word) || /^(?:human|agent|tool):[^\p{C}\s]{1,200}$/u.test(word)

/** Approves, releases and decides; agents and tools ask. */
export const isPerson = (actor: string): boolean => actor.startsWith('human:')

/** Characters at the end of an id: at its beginning many have the time. */
const OF_ID = 8

/** An agent of which only its program and the id of its session are known. */
export function agentOfSession(program: string, id: string): string {
  const end = id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-OF_ID)
  return end === '' ? `agent:${program}` : `agent:${program}-${end}`
}
