/*
 * Inputs for any operation, made from the JSON Schema of what it takes: right in form, and often right in sense, since
 * members that name something name what is in the session when the operation comes to it.
 */
import fc from 'fast-check'
import { keysAt, tokensIn } from './found.ts'

export interface Shape {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly propertyNames?: Shape
  readonly additionalProperties?: Shape | boolean
  readonly anyOf?: readonly Shape[]
}

/** Few, so that operations meet in what they are about. */
const WORDS = [
  'task-1', 'task-2', 'task-3', 'epic-1', 'sprint-1', 'core', 'web', 'a', 'b', 'worker', 'planner', 'room', 'resource:db',
  'agent:a', 'agent:b', 'human:ana', 'data.topic', "$.data['a.b'][0]", '$..topic', '2026-11-23', '2026-11-30', 'lock.break',
  'research', 'plan', 'implement', 'full-implementation', 'a'.repeat(64), 'b'.repeat(64), 'line 1\nline 2', 'é 😀',
] as const // oxfmt-ignore
const MOST = 1000

/** Stands in an input for the n-th of what a member of that name may name. */
class Pick {
  readonly field: string
  readonly n: number

  constructor(field: string, n: number) {
    this.field = field
    this.n = n
  }
}

type Find = (document: unknown) => readonly unknown[]
const task = keysAt('execution.tasks')
const agent = keysAt('execution.agents.active')
const message = keysAt('communication.messages.messages')
const handoff = keysAt('communication.handoffs')
const NAMED: Readonly<Record<string, Find>> = {
  agent,
  parent: agent,
  task,
  task_id: task,
  needs: task,
  from: task,
  to: (document) => [...agent(document), ...task(document), 'plan', 'implement'],
  id: (document) => [...message(document), ...handoff(document)],
  token: tokensIn,
  team: keysAt('organization.teams'),
  teams: keysAt('organization.teams'),
  project: keysAt('organization.projects'),
  epic: keysAt('execution.workflows.epics'),
  sprint: (document) => keysAt('execution.workflows.active_sprints')(document).map((n) => `sprint-${Number(n) + 1}`),
  resource: keysAt('communication.locks.resources'),
  key: keysAt('steps.ledger'),
  step: keysAt('steps.names'),
  type: keysAt('execution.agents.pool'),
  channel: keysAt('turns.channels'),
  conversation: keysAt('conversation.threads'),
  supervisor: keysAt('supervision.supervisors'),
  worker: keysAt('supervision.supervisors.*.workers'),
}
const OFTEN = 5

/** An input whose picks are still to be settled. */
export function anything(shape: Shape, field = ''): fc.Arbitrary<unknown> {
  const { type, enum: choices, anyOf } = shape
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (choices !== undefined) return fc.constantFrom(...choices)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => anything(each, field)))
  if (Array.isArray(type)) return fc.oneof(...type.map((each: string) => anything({ ...shape, type: each }, field)))
  const plain = plainOf(shape, field)
  if (!Object.hasOwn(NAMED, field) || (type !== 'string' && type !== 'integer')) return plain
  const picked = fc.nat(20).map((n) => new Pick(field, n))
  return fc.oneof({ arbitrary: picked, weight: OFTEN }, { arbitrary: plain, weight: 1 })
}

/** The input with every pick settled; one that finds nothing is left out. */
export function settled(input: unknown, document: unknown): unknown {
  if (input instanceof Pick) {
    const found = NAMED[input.field]?.(document) ?? []
    return found[input.n % found.length]
  }
  if (Array.isArray(input)) return input.map((each) => settled(each, document)).filter((each) => each !== undefined)
  if (typeof input !== 'object' || input === null) return input
  const members = Object.entries(input).map(([name, each]) => [name, settled(each, document)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function plainOf(shape: Shape, field: string): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return wordLike(shape)
    case 'integer':
    case 'number':
      return numberLike(shape)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(anything(shape.items ?? {}, field), { minLength: shape.minItems ?? 0, maxLength: 3 })
    case 'object':
      return objectLike(shape)
    default:
      return fc.oneof(fc.constantFrom(...WORDS), fc.jsonValue({ maxDepth: 2 }))
  }
}

function wordLike({ pattern }: Shape): fc.Arbitrary<string> {
  const fits = pattern === undefined ? WORDS : WORDS.filter((word) => new RegExp(pattern, 'u').test(word))
  return fits.length === 0 ? fc.constant('x') : fc.constantFrom(...fits)
}

function numberLike({ minimum = 0, maximum = MOST }: Shape): fc.Arbitrary<number> {
  const [min, max] = [Math.max(minimum, -MOST), Math.min(maximum, Math.max(minimum, MOST))]
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 40) }), fc.integer({ min, max }))
}

function objectLike({ properties, required = [], propertyNames, additionalProperties }: Shape): fc.Arbitrary<object> {
  if (properties === undefined) {
    const members = typeof additionalProperties === 'object' ? additionalProperties : {}
    return fc.dictionary(wordLike(propertyNames ?? {}), anything(members), { maxKeys: 3 })
  }
  // An object for fc.record is made of the members of `properties`.
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, anything(each, name)]),
  ) as Record<string, fc.Arbitrary<unknown>>
  const needed = Object.fromEntries(Object.entries(members).filter(([name]) => required.includes(name)))
  return fc.oneof(fc.record(needed), fc.record(members, { requiredKeys: [...required] }))
}
