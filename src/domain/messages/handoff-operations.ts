import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import type { Event } from '../../kernel/log/commit.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import type { TaskEvent } from '../tasks/events.ts'
import { address } from './address.ts'
import { decideAccept, decideComplete, decideCreate, decideReject, type Claims } from './decide-handoff.ts'
import { handoffOf } from './handoffs.ts'
import { handoffRows } from './views.ts'

const id = z.string().check(z.minLength(1), z.maxLength(200))
const text = z._default(z.string().check(z.maxLength(20_000)), '')
const artifacts = z._default(z.array(z.string().check(z.minLength(1), z.maxLength(1000))).check(z.maxLength(1000)), [])

type TaskClaimed = Extract<TaskEvent, { readonly type: 'task.claimed' }>

/** The task that is the taker's from now on, with its fencing token; nothing where no claim was passed on. */
const claimed = (events: readonly Event[]) =>
  events.find((event): event is TaskClaimed => event.type === 'task.claimed')?.data

const create = writeOperation({
  name: 'handoff.create',
  summary: 'Offer work to another agent, with what is known about it',
  input: () =>
    z.object({
      to: address,
      task_id: id,
      artifacts,
      work_completed: text,
      next_steps: text,
      notes: text,
    }),
  positional: ['to', 'task_id'],
  decide: decideCreate,
  answer: (events) => events.find((event) => event.type === 'handoff.created')?.data,
})

const accepting = (claims: Claims) =>
  writeOperation({
    name: 'handoff.accept',
    summary:
      'Take over work that was offered, and the claim of its task with a new token where who offered it has that',
    input: () => z.object({ id }),
    positional: ['id'],
    decide: decideAccept(claims),
    answer: claimed,
  })

const complete = writeOperation({
  name: 'handoff.complete',
  summary: 'Say that work which was taken over is done',
  input: () => z.object({ id, artifacts, notes: z.optional(z.string().check(z.maxLength(20_000))) }),
  positional: ['id'],
  decide: decideComplete,
})

const rejecting = (claims: Claims) =>
  writeOperation({
    name: 'handoff.reject',
    summary: 'Turn work down, or give it back: who took it over keeps no claim of its task',
    input: () => z.object({ id, reason: z.string().check(z.minLength(1), z.maxLength(2000)) }),
    positional: ['id'],
    decide: decideReject(claims),
  })

const reads = [
  readOperation({
    name: 'handoff.list',
    summary: 'Work that goes from agent to agent',
    input: () =>
      z.object({
        agent: z.optional(address),
        status: z.optional(z.enum(['pending', 'acknowledged', 'completed', 'rejected'])),
        task_id: z.optional(z.string()),
      }),
    read: (state, input) => handoffRows(state, input),
  }),
  readOperation({
    name: 'handoff.show',
    summary: 'One handoff with all that came with it',
    input: () => z.object({ id }),
    positional: ['id'],
    read: (state, { id: name }) => {
      const handoff = handoffOf(state, name)
      if (handoff === undefined)
        throw new EngineError('NOT_FOUND', `no handoff "${name}"`, { hint: 'steadfold handoff list' })
      return handoff
    },
  }),
]

/** What becomes of the claim is known where the modules are put together. */
export const handoffOperations = (claims: Claims) => [create, accepting(claims), complete, rejecting(claims), ...reads]
