/* S5 of session.ts: who may do what is gated. */
import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import type { Edit } from '../../kernel/state/edit.ts'
import { isPerson } from '../../kernel/text/actor.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import {
  dueOf,
  modeOf,
  type Ask,
  type ConsentEvent,
  type ConsentMode,
  type ConsentSlice,
  type Consenting,
} from './events.ts'

const DELAY_MS = 30_000
export const EVERYBODY = '*'

export const noConsent = (): ConsentSlice => ({ gated: [], delay_ms: DELAY_MS, asks: {}, used: {} })

export const keyOf = (operation: string, actor: string): string => `${operation} ${actor}`

interface Wish {
  readonly operation: string
  readonly actor: string
  readonly now: number
}

/** Undefined when nobody has to be asked. */
export function consentFor(holder: Consenting, wish: Wish): Refusal | Accepted<ConsentEvent> | undefined {
  const { consent } = holder
  const { operation, actor, now } = wish
  if (consent.gated.length === 0 || !consent.gated.includes(operation) || isPerson(actor)) return undefined
  const mode = modeOf(holder)
  const used = (ask: string | null) => accept({ type: 'consent.used', data: { operation, actor, ask, mode } })
  if (mode === 'automatic') return used(null)
  const ask = wordFor(consent, operation, actor)
  if (ask === undefined) return unasked(mode, wish)
  const due = dueOf(mode, ask)
  const waited = ask.status === 'asked' && due !== null && due <= now
  return ask.status === 'granted' || waited ? used(keyOf(operation, ask.actor)) : waiting(mode, ask, wish)
}

/** An answer before a question, and one to somebody by name before one to everybody. */
export function wordFor(consent: ConsentSlice, operation: string, actor: string): Ask | undefined {
  const words = [actor, EVERYBODY].flatMap((who) => known(consent, operation, who) ?? [])
  return words.find(({ status }) => status !== 'asked') ?? words[0]
}

function unasked(mode: ConsentMode, { operation, actor }: Wish): Refusal {
  const said = mode === 'informed' ? 'it is announced first' : 'a person allows it first'
  return refuse('CONSENT_NEEDED', `${operation} is gated for ${actor}: ${said}`, {
    hint: `steadfold consent ask ${operation} --as ${quoted(actor)}`,
    details: { operation, actor, mode },
  })
}

function waiting(mode: ConsentMode, ask: Ask, { operation, actor, now }: Wish): Refusal {
  const details = { operation, actor, mode, status: ask.status, due: ask.due }
  if (ask.status === 'denied') {
    return refuse('CONSENT_NEEDED', `${operation} was denied to ${actor}${ask.note === null ? '' : `: ${ask.note}`}`, {
      hint: `a person may change that: steadfold consent grant ${operation} --for ${quoted(actor)}`,
      details,
    })
  }
  const due = dueOf(mode, ask)
  return refuse('CONSENT_NEEDED', `${operation} waits for consent, asked for at ${ask.asked_at}`, {
    hint:
      due === null
        ? `a person answers: steadfold consent grant ${operation} --for ${quoted(actor)}`
        : `it may be done in ${Math.ceil((due - now) / 1000)} s, unless it is denied`,
    details,
  })
}

type Handlers = {
  readonly [E in ConsentEvent as E['type']]: (
    slice: { readonly consent: ConsentSlice },
    data: E['data'],
    edit: Edit,
    meta: { readonly at: string },
  ) => void
}

export const consentEvolve: Handlers = {
  'consent.asked': ({ consent }, { operation, actor, note, due }, edit, { at }) =>
    edit.set(consent.asks, keyOf(operation, actor), {
      operation,
      actor,
      note,
      status: 'asked',
      asked_at: at,
      due,
      uses: 1,
    }),
  'consent.granted': ({ consent }, { operation, actor, uses }, edit, { at }) =>
    edit.set(consent.asks, keyOf(operation, actor), {
      ...(known(consent, operation, actor) ?? { note: null, asked_at: at, due: null }),
      operation,
      actor,
      status: 'granted',
      uses,
    }),
  'consent.denied': ({ consent }, { operation, actor, reason }, edit, { at }) =>
    edit.set(consent.asks, keyOf(operation, actor), {
      asked_at: known(consent, operation, actor)?.asked_at ?? at,
      due: null,
      operation,
      actor,
      note: reason,
      status: 'denied',
      uses: 0,
    }),
  'consent.used': ({ consent }, { operation, actor, ask }, edit) => {
    const before = Object.hasOwn(consent.used, operation) ? (consent.used[operation] ?? 0) : 0
    edit.set(consent.used, operation, before + 1)
    // Whoever did it asks no more, whatever it rested on.
    if (known(consent, operation, actor)?.status === 'asked') edit.remove(consent.asks, keyOf(operation, actor))
    const rested = ask !== null && Object.hasOwn(consent.asks, ask) ? consent.asks[ask] : undefined
    if (ask === null || rested === undefined) return
    if (rested.uses > 1) edit.set(consent.asks, ask, { ...rested, uses: rested.uses - 1 })
    else edit.remove(consent.asks, ask)
  },
}

function known({ asks }: ConsentSlice, operation: string, actor: string): Ask | undefined {
  const key = keyOf(operation, actor)
  return Object.hasOwn(asks, key) ? asks[key] : undefined
}
