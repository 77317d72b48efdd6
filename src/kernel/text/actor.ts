/** Whether a word names an actor: `human:`, `agent:` or `tool:` and an id. Most short commands never ask, so none waits for it. */
export const isActor = (word: string): boolean => /^(human|agent|tool):[^\p{C}\s]{1,200}$/u.test(word)

/** Approves, releases and decides; agents and tools ask. */
export const isPerson = (actor: string): boolean => actor.startsWith('human:')
