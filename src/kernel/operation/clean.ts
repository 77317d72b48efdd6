/* A request without the secrets that it brought. */
import { EngineError } from '../error.ts'
import { REDACTED_EVENT, type Draft, type Event } from '../log/commit.ts'
import type { Words } from '../log/line.ts'
import { foundIn, sum, type Found, type Redactor } from '../redact/redact.ts'
import { parseInput, type Parsed } from './input.ts'
import type { Request } from './request.ts'

/** Undefined when the line may stand as it is; throws INPUT_INVALID where the operation needs what was taken out. */
export function cleaned<R extends Request>(
  request: R,
  draft: Draft,
  { words, redactor }: { readonly words: Words; readonly redactor: Redactor | undefined },
): R | undefined {
  if (request.redacted !== undefined || redactor?.suspectsWords(words) !== true) return undefined
  const { input, options, redacted } = withoutSecrets(request, redactor)
  if (Object.keys(redacted).length === 0 && foundIn(draft.events, redactor, 'own').size === 0) return undefined
  const fitting = asTaken(request, input)
  if (!fitting.ok) throw holdsSecret(fitting.refusal.message, Object.keys(redacted))
  return { ...request, input: fitting.input, options, redacted }
}

/** A request that was refused, as the log would have it; undefined when that is no other. */
export function cleanedNo<R extends Request>(request: R, redactor: Redactor | undefined): R | undefined {
  if (request.redacted !== undefined || redactor?.suspects(JSON.stringify(request.input) ?? '') !== true)
    return undefined
  const { input, options, redacted } = withoutSecrets(request, redactor)
  const fitting = asTaken(request, input)
  if (Object.keys(redacted).length === 0 || !fitting.ok) return undefined
  return { ...request, input: fitting.input, options, redacted }
}

function withoutSecrets(request: Request, redactor: Redactor) {
  const tally = new Map<string, number>()
  const { actor, reason, ...others } = request.options
  const input = redactor.value(request.input, tally)
  const options = {
    ...others,
    ...(actor === undefined ? {} : { actor: redactor.text(actor, tally) }),
    ...(reason === undefined ? {} : { reason: redactor.text(reason, tally) }),
  }
  return { input, options, redacted: Object.fromEntries(tally) }
}

/** A name or an id that was taken out leaves no name, a number no number. What `prepare` made stays as it made it. */
function asTaken({ operation }: Request, input: unknown): Parsed {
  const parsed = parseInput(operation, input)
  return parsed.ok && operation.prepare !== undefined ? { ok: true, input } : parsed
}

export const holdsSecret = (what: string, rules: readonly string[]): EngineError =>
  new EngineError('INPUT_INVALID', `${what}: it holds a secret (${rules.join(', ')}), and those are not written`, {
    hint: 'name it otherwise; steadfold redact test FILE shows what is found',
  })

/** Events that rest on what was written before there was a rule may still hold a secret. */
export function cleanEvents(
  events: readonly Event[],
  { redacted }: Request,
  redactor: Redactor | undefined,
): { readonly events: readonly Event[]; readonly found: Found } {
  if (redacted === undefined || redactor === undefined) return { events, found: NOTHING }
  const tally = new Map<string, number>()
  const clean = events.map(({ type, data }) => ({ type, data: redactor.value(data, tally, 'own') }))
  return { events: clean, found: sum(redacted, Object.fromEntries(tally)) }
}

export const redactedEvents = (found: Found): readonly Event[] =>
  Object.keys(found).length === 0 ? [] : [{ type: REDACTED_EVENT, data: { rules: found } }]

const NOTHING: Found = {}
