import * as z from 'zod/mini'
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { writeOperation } from '../../kernel/operation/operation.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { SessionEvent, Transport } from './events.ts'
import { heldByOther } from './lease.ts'
import { sessionOf } from './session.ts'
import { forWhom, NOWHERE } from './transport.ts'

const word = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^\P{C}+$/u, 'must hold no control characters'))
const place = z.object({ place: word, device: word })
const folder = z.string().check(z.minLength(1), z.maxLength(4096))
const git = z.object({ branch: z.nullable(word), commit: z.nullable(word) })
const MOST_SHARED = 100

export const transportOperations = [
  writeOperation({
    name: 'session.depart',
    summary: 'Mark a session as departed: it takes no writes until it arrives elsewhere or is taken back',
    input: () => z.object({ from: place, to: z.optional(word), root: z.optional(folder), git: z.optional(git) }),
    decide: (state, { from, to, root, git: head }, { now, newId }) => {
      const { departed, epoch } = transportOf(state)
      if (departed !== null) return departed.to === (to ?? null) ? accept() : goneFor(state, departed.to, to)
      const held = heldByOther(state, now)
      if (held !== undefined) return held
      const where = { ...(root === undefined ? {} : { root }), ...(head === undefined ? {} : { git: head }) }
      return accept({ type: 'session.departed', data: { transfer: newId(), epoch, to: to ?? null, from, ...where } })
    },
  }),
  writeOperation({
    name: 'session.return',
    summary: 'Take a departed session back: what was sent counts no more',
    input: () => z.object({ at: place }),
    decide: (state, { at }) => {
      const { departed, epoch } = transportOf(state)
      if (departed === null) return accept()
      const { transfer } = departed
      return accept({ type: 'session.departure-cancelled', data: { transfer, epoch: epoch + 1, place: at } })
    },
  }),
  writeOperation({
    name: 'session.arrive',
    summary: 'Take over a session that was sent here',
    input: () =>
      z.object({ transfer: word, epoch: z.int().check(z.minimum(2)), at: place, root: z.optional(z.string()) }),
    decide: (state, { transfer, epoch, at, root }) => {
      const { departed, epoch: current } = transportOf(state)
      if (departed === null || departed.transfer !== transfer || epoch !== current + 1)
        return refuse('EPOCH_STALE', `transfer ${transfer} is over: the session stands at epoch ${current}`, {
          hint: 'steadfold session show says who owns it',
          details: { epoch: current, transfer },
        })
      const arrived: SessionEvent = {
        type: 'session.arrived',
        data: { transfer, epoch, place: at, root: root ?? null },
      }
      return accept(arrived)
    },
  }),
  writeOperation({
    name: 'session.share',
    summary: 'Say with whom a session is shared; the whole list',
    input: () => z.object({ with: z.array(word).check(z.maxLength(MOST_SHARED)) }),
    decide: (state, input) => {
      const people = [...new Set(input.with)]
      const { shared_with } = transportOf(state)
      return people.join('\n') === shared_with.join('\n')
        ? accept()
        : accept({ type: 'session.shared', data: { with: people } })
    },
  }),
]

/** T6 */
function goneFor(state: Readonly<Tree>, first: string | null, other = 'somebody else'): Refusal {
  const name = sessionOf(state)?.name ?? ''
  return refuse(
    'SESSION_DEPARTED',
    `session ${name} has departed${forWhom(first)}: it is not sent to ${other} as well`,
    {
      hint: `send it as before, or take it back first: steadfold teleport cancel ${quoted(name)}`,
      details: { departed: first, other },
    },
  )
}

function transportOf(state: Readonly<Tree>): Transport & { readonly epoch: number } {
  const session = sessionOf(state)
  return { ...NOWHERE, ...session?.transport, epoch: session?.epoch ?? 1 }
}
