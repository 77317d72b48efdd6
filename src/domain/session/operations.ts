import * as z from 'zod/mini'
import { accept, refuse } from '../../kernel/decision.ts'
import { writeOperation, type History } from '../../kernel/operation/operation.ts'
import { mayName } from '../../kernel/redact/placeholder.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { TaskEvent } from '../tasks/events.ts'
import type { Mode, SessionEvent } from './events.ts'
import { heldByOther, lost } from './lease.ts'
import { lifeOperations, preferences } from './life-operations.ts'
import { beginning } from './modes.ts'
import { changesBack, claimsBack, settled, tooMuch } from './restore.ts'
import { sessionOf } from './session.ts'
import { transportOperations } from './transport-operations.ts'

const name = z.string().check(
  z.minLength(1),
  z.maxLength(128),
  // Addresses of pages take . and .. for steps between folders.
  z.regex(/^(?!\.{1,2}$)[^\s/\\@][^/\\]*$/, 'must not begin with @ or a space, hold a slash, nor be . or ..'),
  // No part of the pattern, which is published: not every reader of it knows \p.
  z.refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters'),
  z.refine(mayName, 'is a name that nothing may have'),
)
const changes = z.array(
  z.union([
    z.object({ kind: z.literal('set'), path: z.string(), value: z.unknown() }),
    z.object({ kind: z.literal('removed'), path: z.string() }),
    z.object({ kind: z.literal('ordered'), path: z.string(), keys: z.readonly(z.array(z.string())) }),
  ]),
)
const claim = z.object({ id: z.string(), token: z.number(), expires: z.nullable(z.number()) })
const processRef = z.object({
  host: z.string(),
  machine: z.optional(z.string()),
  boot_id: z.string(),
  pid_namespace: z.string(),
  pid: z.number(),
  started: z.string(),
})
const DEFAULT_LEASE_MS = 30_000

export const sessionOperations = [
  writeOperation({
    name: 'session.create',
    summary: 'Begin a session',
    input: () =>
      z.object({
        id: z.string(),
        name,
        goal: z.optional(z.string()),
        mode: z.optional(z.enum(['development', 'leadership', 'config', 'emergency'])),
        context: z.optional(z.looseObject({ user_preferences: z.optional(preferences()) })),
        hold: z._default(z.boolean(), false),
      }),
    decide: (state, input, { now }) =>
      sessionOf(state) === undefined
        ? decideCreate(input, now)
        : refuse('NAME_TAKEN', `session ${input.id} exists`, { hint: 'choose another id' }),
  }),
  writeOperation({
    name: 'session.rename',
    summary: 'Give a session another name',
    input: () => z.object({ name }),
    positional: ['name'],
    decide: (state, { name }) =>
      sessionOf(state)?.name === name ? accept() : accept({ type: 'session.renamed', data: { name } }),
  }),
  ...lifeOperations,
  ...transportOperations,
  writeOperation({
    name: 'session.mark',
    summary: 'Name a point in the log',
    input: () => z.object({ name, at: z.optional(z.string()) }),
    positional: ['name', 'at'],
    prepare: async (history, { name, at }) => ({ name, at: String(await history.resolve(at ?? '@')) }),
    // A point in the log is where it is.
    lasts: () => true,
    decide: (state, { name, at }) => mark(state, name, Number(at)),
  }),
  writeOperation({
    name: 'session.unmark',
    summary: 'Forget a mark',
    input: () => z.object({ name }),
    positional: ['name'],
    decide: (state, { name }) =>
      Object.hasOwn(sessionOf(state)?.marks ?? {}, name)
        ? accept({ type: 'session.unmarked', data: { name } })
        : refuse('NOT_FOUND', `no mark "${name}"`, { hint: 'steadfold session show lists the marks' }),
  }),
  writeOperation({
    name: 'session.acquire',
    summary: 'Take the lease of a session',
    input: () =>
      z.object({
        ttl_ms: z._default(z.number().check(z.positive()), DEFAULT_LEASE_MS),
        process: z.optional(processRef),
      }),
    decide: (state, { ttl_ms, process: owner }, { now, at, actor, seq }) => {
      const held = heldByOther(state, now)
      if (held !== undefined) return held
      return accept({
        type: 'session.lease-acquired',
        data: { holder: actor, token: seq, acquired_at: at, expires: now + ttl_ms, process: owner ?? null },
      })
    },
    answer: ([event]) => event?.data,
  }),
  writeOperation({
    name: 'session.renew',
    summary: 'Keep the lease of a session',
    input: () => z.object({ token: z.number(), ttl_ms: z._default(z.number().check(z.positive()), DEFAULT_LEASE_MS) }),
    decide: (state, { token, ttl_ms }, { now }) =>
      lost(state, token) ?? accept({ type: 'session.lease-renewed', data: { token, expires: now + ttl_ms } }),
  }),
  writeOperation({
    name: 'session.release',
    summary: 'Give the lease of a session back',
    input: () => z.object({ token: z.number() }),
    decide: (state, { token }) => lost(state, token) ?? accept({ type: 'session.lease-released', data: { token } }),
  }),
  writeOperation({
    name: 'session.restore',
    summary: 'Set the state back to a point; session, steps, agents and all that was said stay',
    input: () => z.object({ to: z.string(), changes: z.optional(changes), claims: z.optional(z.array(claim)) }),
    positional: ['to'],
    prepare: async (history, input) => {
      const { seq, then } = pasts.get(input) ?? (await pastOf(history, input.to))
      pasts.set(input, { seq, then })
      const now = history.state
      return { to: String(seq), changes: [...changesBack(now, then)], claims: [...claimsBack(now, then)] }
    },
    decide: (_state, { to, changes = [], claims = [] }, { log }) =>
      changes.length === 0
        ? accept()
        : (tooMuch(to, changes, log) ??
          accept<readonly (SessionEvent | TaskEvent)[]>(
            { type: 'session.restored', data: { to: Number(to), changes } },
            ...claims.map(settled),
          )),
  }),
  writeOperation({
    name: 'session.repair',
    summary: 'Record that a damaged log was cut back; written by the repair itself',
    input: () => z.object({ seq: z.number(), reason: z.string(), aside: z.array(z.string()) }),
    decide: (_state, data) => accept({ type: 'session.repaired', data }),
  }),
  writeOperation({
    name: 'session.fork',
    summary: 'Go on from a point of another session under a new name',
    input: () =>
      z.object({
        id: z.string(),
        name,
        from: z.object({ session: z.string(), seq: z.number(), hash: z.string() }),
      }),
    // The first commit behind what was copied into a log of its own.
    decide: (state, data, { seq, log }) =>
      data.id === log &&
      data.from.session !== log &&
      data.from.seq === seq - 1 &&
      sessionOf(state)?.id === data.from.session
        ? accept({ type: 'session.forked', data })
        : refuse('LIFECYCLE_INVALID', `this is no copy of session ${data.from.session} up to commit ${data.from.seq}`, {
            hint: 'steadfold session fork SESSION NAME, or workspace.fork(), which makes the copy',
          }),
  }),
]

interface Create {
  readonly id: string
  readonly name: string
  readonly goal?: string | undefined
  readonly mode?: Mode | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly hold: boolean
}

/** Only a mode that was named brings something with it: a plain conversation needs no teams. */
function decideCreate({ id, name, goal, mode, context = {}, hold }: Create, now: number) {
  const created: SessionEvent = {
    type: 'session.created',
    data: {
      id,
      name,
      goal: goal ?? null,
      mode: mode ?? 'development',
      context,
      ...(hold ? { hold } : {}),
    },
  }
  return accept(created, ...(mode === undefined ? [] : beginning(mode, { name, context, now })))
}

interface Past {
  readonly seq: number
  readonly then: Readonly<Tree>
}

/** By what asked for it: folded once, however often another process was quicker. */
const pasts = new WeakMap<object, Past>()

async function pastOf(history: History, to: string): Promise<Past> {
  const seq = await history.resolve(to)
  return { seq, then: await history.stateAt(seq) }
}

function mark(state: Readonly<Tree>, name: string, seq: number) {
  const marks = sessionOf(state)?.marks ?? {}
  if (/^(@.*|\d+[smhdw]?|\d{4}-\d\d-\d\d.*)$/.test(name)) {
    return refuse('NAME_INVALID', `"${name}" would read as a sequence number, an age or a time`, {
      hint: 'begin with a letter',
    })
  }
  if (!Object.hasOwn(marks, name)) return accept({ type: 'session.marked', data: { name, seq } })
  if (marks[name] === seq) return accept()
  return refuse('MARK_TAKEN', `mark "${name}" stands at ${marks[name] ?? 0}`, {
    hint: `steadfold session unmark ${quoted(name)}`,
  })
}
