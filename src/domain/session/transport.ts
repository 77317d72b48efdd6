/*
 * Which machine owns a session.
 *
 *   here ──depart──► departed ──arrive, there──► there        the epoch is one more
 *     ▲                 └───────cancel, here───► here         the epoch is one more
 *
 * T1. A departed session takes no writes but those that end the departure, or that continue history elsewhere.
 * T2. A session that has arrived somewhere, or was taken back there, takes writes there alone; copies of its log elsewhere are only read.
 *     One that never moved is owned from its first departure by where it leaves, so that nobody else takes it back.
 * T3. Each arrival and each cancelled departure raises the epoch by one. What says an older epoch, or another transfer
 *     than the one under way, is refused: a session arrives once.
 * T4. A fork is a session of its own: it belongs to nobody yet, and begins with epoch 1.
 * T5. Where the project lay is said at each departure, where it lies at each arrival: paths in the log stay as they are, and
 *     whoever uses one asks `pathHere` of the kernel.
 * T6. A session departs for one: sent again it goes to the same, since two could both take it over.
 */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { defineModule, sliceReader, type Module, type Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { SessionEvent, SessionSlice, Transport, TransportEvent } from './events.ts'

/** T1, T2: what may be said of a session that is elsewhere. */
const ELSEWHERE: ReadonlySet<string> = new Set(['session.fork', 'session.repair', 'session.arrive'])
const DEPARTED: ReadonlySet<string> = new Set([...ELSEWHERE, 'session.depart', 'session.return'])

/** `here`: the id of this workspace, asked for only when the session has an owner. */
export const ownership = (here: () => string): Module =>
  defineModule<SessionSlice, never>({
    slice: 'session',
    // The session module comes first and makes the slice.
    initial: () => ({}) as SessionSlice,
    evolve: {},
    guard: (root, operation) => away(root, operation, here),
  })

const readSession = sliceReader<SessionSlice>('session')

function away(root: Readonly<Tree>, operation: string, here: () => string): Refusal | undefined {
  const session = readSession(root)
  const { owner, departed } = session?.transport ?? NOWHERE
  if (session === undefined || (owner === null && departed === null)) return undefined
  const elsewhere = owner !== null && owner.place !== here()
  if (elsewhere && !ELSEWHERE.has(operation)) return gone(session, 'owner')
  return departed !== null && !DEPARTED.has(operation) ? gone(session, 'departed') : undefined
}

function gone({ name, epoch, transport }: SessionSlice, why: 'owner' | 'departed'): Refusal {
  const { owner, departed } = transport
  const details = { epoch, owner, departed }
  const apart = `or go on apart: steadfold session fork ${quoted(name)} NEW-NAME`
  if (departed === null)
    return refuse(
      'SESSION_DEPARTED',
      `session ${name} is owned by ${owner?.device ?? 'another machine'} (epoch ${epoch})`,
      {
        hint: `have it sent here: steadfold teleport send ${quoted(name)} over there; ${apart}`,
        details,
      },
    )
  return refuse('SESSION_DEPARTED', `session ${name} has departed${forWhom(departed.to)}`, {
    hint:
      why === 'departed'
        ? `go on where it arrived, or take it back here: steadfold teleport cancel ${quoted(name)}`
        : `take it over here: steadfold teleport receive, with the file that was sent or --remote; ${apart}`,
    details,
  })
}

export const forWhom = (to: string | null | undefined): string => (to == null ? '' : ` for ${to}`)

export const NOWHERE: Transport = { owner: null, departed: null, devices: [], shared_with: [] }

type Evolve = Parameters<typeof defineModule<SessionSlice, SessionEvent>>[0]['evolve']

export const transportEvolve: Pick<Evolve, TransportEvent['type']> = {
  'session.departed': (slice, { from, ...departed }, edit, { at }) =>
    put(slice, edit, {
      owner: slice.transport?.owner ?? edit.own(from),
      departed: { ...edit.own(departed), at },
      devices: seen(slice, from.device),
    }),
  'session.departure-cancelled': (slice, { epoch, place }, edit) => {
    edit.set(asContainer(slice), 'epoch', epoch)
    put(slice, edit, { owner: edit.own(place), departed: null })
  },
  'session.arrived': (slice, { epoch, place, root }, edit) => {
    edit.set(asContainer(slice), 'epoch', epoch)
    edit.set(asContainer(slice), 'lease', null)
    const roots = rootsAfter(slice, root)
    put(slice, edit, { owner: edit.own(place), departed: null, devices: seen(slice, place.device), ...roots })
    if (root !== null) edit.set(asContainer(slice), 'user_context', { ...slice.user_context, workspace_path: root })
  },
  'session.shared': (slice, { with: people }, edit) => put(slice, edit, { shared_with: edit.own(people) }),
}

function put(slice: SessionSlice, edit: Parameters<Evolve['session.ended']>[2], change: Partial<Transport>): void {
  edit.set(asContainer(slice), 'transport', { ...NOWHERE, ...slice.transport, ...change })
}

/** T5 */
function rootsAfter({ transport }: SessionSlice, here: string | null): Pick<Transport, 'roots'> {
  const { roots = [], departed } = transport
  if (here === null || departed?.root === undefined) return {}
  return { roots: [...new Set([...roots, departed.root])].filter((root) => root !== here) }
}

const seen = ({ transport }: SessionSlice, device: string): readonly string[] =>
  transport.devices.includes(device) ? transport.devices : [...transport.devices, device]

function asContainer(slice: object): Record<string, unknown> {
  // As in session.ts.
  return slice as Record<string, unknown>
}
