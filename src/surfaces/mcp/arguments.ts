/*
 * What every tool takes beside the input of its operation. No operation has fields of these names.
 *
 * A1. A name that nobody knows is refused with those that there are: a misspelt one would be left out unseen.
 * A2. Null is no argument, for models that have to name all of them; where any JSON may stand it is a value.
 */
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import type { Members } from '../../kernel/json/members.ts'
import { isActor } from '../../kernel/text/actor.ts'

const EVERY = { session: z.string(), actor: z.string() }
const WRITE = { expected_seq: z.int().check(z.nonnegative()), idempotency_key: z.string().check(z.minLength(1)) }
const READ = { at: z.union([z.string(), z.int()]) }
const LIST = { cursor: z.string() }
const SHARED = z.partial(z.object({ ...EVERY, ...WRITE, ...READ, ...LIST }))

export type Shared = z.output<typeof SHARED>

const ABOUT: Readonly<Record<string, string>> = {
  session: 'name or id; else the only active one',
  actor: 'agent:NAME or tool:NAME; else your client',
  expected_seq: 'refused as CONFLICT unless the session stands here',
  idempotency_key: 'done once for this key, however often it is asked',
  at: 'as it was at 17, @-3, a mark, 2h, an ISO time',
  cursor: 'next_cursor of the page before',
}

export type Use = 'view' | 'read' | 'list' | 'write'

/** Names of the arguments that a tool of that use takes beside its input. */
export const sharedFor = (use: Use): readonly string[] => [
  ...(use === 'view' ? ['session'] : Object.keys(EVERY)),
  ...(use === 'write' ? Object.keys(WRITE) : use === 'view' ? [] : Object.keys(READ)),
  ...(use === 'list' ? Object.keys(LIST) : []),
]

export function sharedSchema(use: Use): Readonly<Record<string, Members>> {
  const named = (name: string) => {
    const type = name === 'expected_seq' ? { type: 'integer', minimum: 0 } : { type: 'string' }
    return [name, { ...type, description: ABOUT[name] }] as const
  }
  return Object.fromEntries(sharedFor(use).map(named))
}

/** Takes arguments apart; throws INPUT_INVALID. */
export function split(args: Readonly<Record<string, unknown>>, use: Use, known: readonly string[]) {
  const shared = sharedFor(use)
  const strange = Object.keys(args).filter((name) => !shared.includes(name) && !known.includes(name))
  const takes = `it takes ${[...known, ...shared].join(', ')}`
  if (strange.length > 0) throw invalid(`there is no argument ${strange.join(', ')}`, takes)
  const entries = Object.entries(args)
  const own = Object.fromEntries(entries.filter(([name]) => known.includes(name)))
  const parsed = SHARED.safeParse(Object.fromEntries(entries.filter(([name]) => !known.includes(name))))
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))]
    throw invalid(
      `${names.join(', ')} cannot be taken`,
      names.map((name) => `${name}: ${ABOUT[name] ?? ''}`).join('; '),
    )
  }
  return { shared: checked(parsed.data), input: own }
}

/** An agent speaks for itself; what a person says, a person says at the terminal or on the pages. */
function checked(shared: Shared): Shared {
  const { actor } = shared
  if (actor === undefined || (isActor(actor) && !actor.startsWith('human:'))) return shared
  throw invalid(`the actor cannot be ${JSON.stringify(actor)}`, 'agent:NAME or tool:NAME')
}

const invalid = (message: string, hint: string): EngineError => new EngineError('INPUT_INVALID', message, { hint })
