import * as z from 'zod/mini'
import { mayName } from '../../kernel/redact/placeholder.ts'

const AGENT = 'agent:'

/** The address of an actor: an agent's is its id. */
export const addressOf = (actor: string): string => (actor.startsWith(AGENT) ? actor.slice(AGENT.length) : actor)

/** The actor behind an address. */
export const actorOf = (address: string): string => (/^(?:human|tool):/.test(address) ? address : `${AGENT}${address}`)

export const address = z.pipe(
  z.string().check(
    z.regex(/^[^\p{C}\s]{1,200}$/u, 'must be the id of an agent, or an actor such as human:ana'),
    z.refine((name: string) => mayName(addressOf(name)), 'is a name that nobody may have'),
  ),
  z.transform(addressOf),
)
