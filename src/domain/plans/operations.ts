import * as z from 'zod/mini'
import type { Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import {
  decideAddEpic,
  decideAddSprint,
  decideAssign,
  decideMoveEpic,
  decideMoveSprint,
  decideUpdateEpic,
  decideUpdateSprint,
  noEpic,
  noSprint,
} from './decide.ts'
import { epicOf, plansOf, sprintOf } from './plans.ts'
import { epicRows, showEpic, showSprint, sprintRows } from './views.ts'

const MOST_ITEMS = 1000

const text = z.string().check(
  z.minLength(1),
  z.maxLength(500),
  // oxlint-disable-next-line no-control-regex -- titles are shown on terminals
  z.regex(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters'),
)
const long = z.string().check(z.maxLength(100_000))
const epic = z.string().check(z.minLength(1))
const sprint = z.string().check(z.minLength(1))
const list = z.array(text).check(z.maxLength(MOST_ITEMS))
const none = z._default(list, [])
const weeks = z.optional(z.int().check(z.minimum(1)))
const reason = z.optional(z.string().check(z.minLength(1), z.maxLength(1000)))
const date = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date: 2026-11-23'),
  z.refine((day) => dayOf(day) === day, 'is no day'),
)
const epicStatus = z.enum(['draft', 'approved', 'in_progress', 'completed', 'cancelled'])
const sprintStatus = z.enum(['planning', 'active', 'review', 'completed', 'cancelled'])
const idOf = (kind: string) =>
  z.optional(
    z
      .string()
      .check(
        z.maxLength(100),
        z.regex(new RegExp(`^${kind}-[a-z0-9-]+$`), `must be "${kind}-" and a-z, 0-9 or hyphens`),
      ),
  )

/** 30 February would be one of March. */
function dayOf(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
}

const missing = ({ code, message, hint = '' }: Refusal) => new EngineError(code, message, { hint })

export const epicOperations = [
  writeOperation({
    name: 'epic.add',
    summary: 'Write down an epic, as a draft',
    input: () =>
      z.object({
        title: text,
        owner: text,
        id: idOf('epic'),
        description: z._default(long, ''),
        features: none,
        criteria: none,
        weeks,
      }),
    positional: ['title'],
    decide: decideAddEpic,
    answer: (events) => events.find((event) => event.type === 'epic.added')?.data,
  }),
  writeOperation({
    name: 'epic.update',
    summary: 'Change what is said about an epic',
    input: () =>
      z.object({
        epic,
        title: z.optional(text),
        owner: z.optional(text),
        description: z.optional(long),
        features: z.optional(list),
        criteria: z.optional(list),
        weeks,
      }),
    positional: ['epic'],
    decide: decideUpdateEpic,
  }),
  writeOperation({
    name: 'epic.approve',
    summary: 'Say that an epic shall be carried out',
    input: () => z.object({ epic }),
    positional: ['epic'],
    decide: (state, { epic: id }) => decideMoveEpic(state, { id, status: 'approved' }),
  }),
  writeOperation({
    name: 'epic.start',
    summary: 'Say that work on an epic has begun',
    input: () => z.object({ epic }),
    positional: ['epic'],
    decide: (state, { epic: id }) => decideMoveEpic(state, { id, status: 'in_progress' }),
  }),
  writeOperation({
    name: 'epic.complete',
    summary: 'Say that an epic is done; its sprints must have ended',
    input: () => z.object({ epic }),
    positional: ['epic'],
    decide: (state, { epic: id }) => decideMoveEpic(state, { id, status: 'completed' }),
  }),
  writeOperation({
    name: 'epic.cancel',
    summary: 'Give an epic up',
    input: () => z.object({ epic, reason }),
    positional: ['epic'],
    decide: (state, { epic: id, reason: why }) => decideMoveEpic(state, { id, status: 'cancelled', reason: why }),
  }),
  readOperation({
    name: 'epic.list',
    summary: 'The epics of a session and how far they are',
    input: () => z.object({ status: z.optional(epicStatus) }),
    read: (state, { status }) => epicRows(state, status),
  }),
  readOperation({
    name: 'epic.show',
    summary: 'Everything about an epic, with its progress',
    input: () => z.object({ epic }),
    positional: ['epic'],
    read: (state, { epic: id }) => {
      const known = epicOf(plansOf(state), id)
      if (known === undefined) throw missing(noEpic(id))
      return showEpic(state, known)
    },
  }),
]

export const sprintOperations = [
  writeOperation({
    name: 'sprint.add',
    summary: 'Plan a sprint of an epic',
    input: () => z.object({ name: text, epic, start: date, end: date, id: idOf('sprint'), goals: none }),
    positional: ['name'],
    decide: decideAddSprint,
    answer: (events) => events.find((event) => event.type === 'sprint.added')?.data,
  }),
  writeOperation({
    name: 'sprint.update',
    summary: 'Change what is said about a sprint',
    input: () =>
      z.object({
        sprint,
        name: z.optional(text),
        start: z.optional(date),
        end: z.optional(date),
        goals: z.optional(list),
      }),
    positional: ['sprint'],
    decide: decideUpdateSprint,
  }),
  writeOperation({
    name: 'sprint.assign',
    summary: 'Give agents or tasks of a sprint to a team, instead of those it had',
    input: () =>
      z.object({
        sprint,
        team: z.string().check(z.regex(/^[a-z][a-z0-9-]*$/, 'must be a name of a team')),
        items: list,
      }),
    positional: ['sprint', 'team', 'items'],
    decide: decideAssign,
  }),
  writeOperation({
    name: 'sprint.start',
    summary: 'Begin a sprint, or go on with one that was in review',
    input: () => z.object({ sprint }),
    positional: ['sprint'],
    decide: (state, { sprint: id }) => decideMoveSprint(state, { id, status: 'active' }),
  }),
  writeOperation({
    name: 'sprint.review',
    summary: 'Put a sprint up for review',
    input: () => z.object({ sprint }),
    positional: ['sprint'],
    decide: (state, { sprint: id }) => decideMoveSprint(state, { id, status: 'review' }),
  }),
  writeOperation({
    name: 'sprint.complete',
    summary: 'End a sprint; its open tasks stay as they are',
    input: () => z.object({ sprint }),
    positional: ['sprint'],
    decide: (state, { sprint: id }) => decideMoveSprint(state, { id, status: 'completed' }),
  }),
  writeOperation({
    name: 'sprint.cancel',
    summary: 'Give a sprint up',
    input: () => z.object({ sprint, reason }),
    positional: ['sprint'],
    decide: (state, { sprint: id, reason: why }) => decideMoveSprint(state, { id, status: 'cancelled', reason: why }),
  }),
  readOperation({
    name: 'sprint.list',
    summary: 'The sprints of a session and how far they are',
    input: () => z.object({ epic: z.optional(epic), status: z.optional(sprintStatus) }),
    read: (state, asked) => sprintRows(state, asked),
  }),
  readOperation({
    name: 'sprint.show',
    summary: 'Everything about a sprint, with its tasks and progress',
    input: () => z.object({ sprint }),
    positional: ['sprint'],
    read: (state, { sprint: id }) => {
      const known = sprintOf(plansOf(state), id)
      if (known === undefined) throw missing(noSprint(id))
      return showSprint(state, known)
    },
  }),
]
