import * as z from 'zod/mini'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { decideBreak, decideDepend, decideTell, decideUndepend } from './decide-dependency.ts'
import { circleRows, edgeRows } from './views.ts'

const node = z.string().check(z.minLength(1), z.maxLength(200))
const outside = z
  .string()
  .check(z.maxLength(200), z.regex(/^(agent|resource):[\w.-]+$/, 'must be agent:NAME or resource:NAME'))

export const dependencyOperations = [
  writeOperation({
    name: 'dependency.add',
    summary: 'Let a task wait for another, or for an agent or resource; a circle is refused',
    input: () =>
      z.object({ from: node, to: node, type: z._default(z.enum(['blocks', 'enables', 'requires']), 'blocks') }),
    positional: ['from', 'to'],
    decide: decideDepend,
  }),
  writeOperation({
    name: 'dependency.remove',
    summary: 'Take back a dependency that was a mistake',
    input: () => z.object({ from: node, to: node }),
    positional: ['from', 'to'],
    decide: decideUndepend,
  }),
  writeOperation({
    name: 'dependency.break',
    summary: 'Go on without a dependency; with one task, propose the weakest of those that hold it up',
    input: () =>
      z.object({
        from: node,
        to: z.optional(node),
        reason: z._default(z.string().check(z.minLength(1), z.maxLength(1000)), 'broken by a person'),
      }),
    positional: ['from', 'to'],
    decide: decideBreak,
    answer: (events) => events.find((event) => event.type === 'dependency.broken')?.data,
  }),
  writeOperation({
    name: 'dependency.tell',
    summary: 'Say what became of an agent or resource that tasks wait for; they go on while it is "available"',
    input: () => z.object({ node: outside, status: z.string().check(z.minLength(1), z.maxLength(100)) }),
    positional: ['node', 'status'],
    decide: decideTell,
  }),
  readOperation({
    name: 'dependency.list',
    summary: 'What waits for what',
    input: () => z.object({ node: z.optional(node) }),
    positional: ['node'],
    read: (state, { node: asked }) => edgeRows(state, asked),
  }),
  readOperation({
    name: 'dependency.cycles',
    summary: 'Circles that were imported, each with its weakest edge',
    input: () => z.object({}),
    read: (state) => circleRows(state),
  }),
]
