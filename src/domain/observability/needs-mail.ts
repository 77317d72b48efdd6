/* Messages for people, and those that nobody could be given. */
import { sliceOf } from '../../kernel/state/module.ts'
import type { Inbox, MessagesSlice, Stored } from '../messages/events.ts'
import { command, timeOf, type Found, type Looked } from './need.ts'

const LONGEST = 200

export function mailNeeds(looked: Looked): readonly Found[] {
  const slice = sliceOf<MessagesSlice>(looked.seen.state, 'communication.messages')
  return Object.entries(slice?.inboxes ?? {}).flatMap(([address, inbox]) => [
    ...(address.startsWith('human:') ? forPerson(looked, slice?.messages ?? {}, [address, inbox]) : []),
    ...dead(looked, [address, slice?.messages ?? {}], {
      ...inbox.dead,
      ...spent(looked, slice?.messages ?? {}, inbox),
    }),
  ])
}

function forPerson(
  looked: Looked,
  messages: Readonly<Record<string, Stored>>,
  [address, inbox]: readonly [string, Inbox],
): readonly Found[] {
  const open = Object.keys(inbox.deliveries).flatMap((id) => {
    const message = messages[id]
    return message === undefined || (message.expires !== null && message.expires <= looked.now) ? [] : [message]
  })
  const others = open.filter(({ type }) => type !== 'question')
  const [first] = others
  const more = others.length > 1 ? ` and ${others.length - 1} more` : ''
  return [
    ...open
      .filter(({ type }) => type === 'question')
      .map((message) => said('ASK', message, command(looked, 'message', 'answer', message.id, '--agent', address))),
    ...(first === undefined
      ? []
      : [said('MESSAGE', first, command(looked, 'message', 'receive', '--agent', address), more)]),
  ]
}

const said = (kind: 'ASK' | 'MESSAGE', { from, payload, timestamp }: Stored, next: string, more = ''): Found => ({
  kind,
  what: from.replace(/^agent:/, ''),
  why: `${textOf(payload)}${more}`,
  since: timestamp,
  next,
})

function textOf(payload: unknown): string {
  const text = JSON.stringify(payload) ?? ''
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Those whose last delivery is over without anybody having told it. */
function spent({ now }: Looked, messages: Readonly<Record<string, Stored>>, { deliveries }: Inbox): Inbox['dead'] {
  return Object.fromEntries(
    Object.entries(deliveries).flatMap(([id, { order, attempts, lease }]) => {
      const isOver = lease !== null && lease.until <= now && attempts >= (messages[id]?.max_deliveries ?? Infinity)
      return isOver ? [[id, { order, attempts, cause: 'deliveries', note: null, at: timeOf(lease.until) }]] : []
    }),
  )
}

function dead(
  looked: Looked,
  [address, messages]: readonly [string, Readonly<Record<string, Stored>>],
  letters: Inbox['dead'],
): readonly Found[] {
  const all = Object.entries(letters)
  const [first] = all
  if (first === undefined) return []
  const [id, { cause, note, attempts }] = first
  const since = all.map(([, { at }]) => at).reduce((a, b) => (a < b ? a : b))
  const of = { kind: 'DEAD', what: `message to ${address}`, since } as const
  if (all.length > 1) {
    const next = command(looked, 'message', 'list', '--agent', address, '--status', 'dead')
    return [{ ...of, why: `${all.length} dead letters`, next }]
  }
  const why =
    cause === 'deliveries' ? `not done after ${attempts} deliveries` : `refused${note === null ? '' : `: ${note}`}`
  // M6 of messages: what its ttl has ended does not come again.
  const verb = (messages[id]?.expires ?? Infinity) > looked.now ? 'revive' : 'drop'
  return [{ ...of, why, next: command(looked, 'message', verb, id, address) }]
}
