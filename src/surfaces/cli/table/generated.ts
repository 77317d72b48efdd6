/*
 * Commands made from operations: `noun.verb` with the schema of its input becomes `noun verb WORDS --flags`.
 */
import { failure } from '../../../kernel/decision.ts'
import { EngineError } from '../../../kernel/error.ts'
import { accepted } from '../../../kernel/operation/answer.ts'
import { parseInput } from '../../../kernel/operation/input.ts'
import type { Operation } from '../../../kernel/operation/operation.ts'
import { written } from '../answer/answer.ts'
import { recordText, whyText } from '../answer/record.ts'
import { show } from '../commands/state.ts'
import type { Context } from '../context/context.ts'
import { listOf, needed, textOf, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { COLUMNS } from '../show/columns.ts'
import { rowsText } from '../show/rows.ts'
import type { Command, Flag, Parameter, ValueType } from '../syntax/command.ts'
import { shapesOf, type Schema, type Shape } from '../syntax/shapes.ts'
import { toValue } from '../syntax/value.ts'
import { refinementOf } from './refine.ts'
import type { Refinement } from './refinement.ts'
import { usual } from './usual.ts'

export function generated(operation: Operation): Command {
  const refinement = refinementOf(operation.name)
  const shapes = shapesOf(operation).filter(({ field }) => !(refinement.hidden ?? []).includes(field))
  const words = operation.positional.flatMap((field) => shapes.filter((shape) => shape.field === field))
  const flags = shapes.filter((shape) => !words.includes(shape))
  return {
    name: operation.name.replace('.', ' '),
    summary: lowerFirst(operation.summary),
    examples: refinement.examples ?? [exampleOf(operation, words, flags)],
    ...(refinement.internal === true ? { hidden: true } : {}),
    parameters: [
      ...words.map((shape) => parameterOf(shape, refinement)),
      ...(refinement.sessionWord === true ? [SESSION_WORD] : []),
    ],
    flags: flags.flatMap((shape) => switchesOf(shape.field, flagOf(shape, refinement), refinement)),
    shares: operation.kind === 'write' ? ['session', 'write'] : ['session', 'at'],
    run: (context, input) => run(context, operation, { input, shapes, refinement }),
  }
}

const SESSION_WORD: Parameter = {
  name: 'SESSION',
  field: 'sessionWord',
  type: 'text',
  required: false,
  summary: 'id or name; the only active one when left out',
}

interface Filled {
  readonly input: Input
  readonly shapes: readonly Shape[]
  readonly refinement: Refinement
}

async function run(context: Context, operation: Operation, { input, shapes, refinement }: Filled): Promise<Result> {
  const { options } = context
  const filled = Object.fromEntries(shapes.flatMap((shape) => memberOf(shape, input)))
  if (operation.kind === 'write') {
    const session = await context.session(
      refinement.removes === true ? 'remove' : 'write',
      textOf(input, 'sessionWord'),
    )
    const answer = await session.run(operation.name, filled, options)
    const note = answer.kind === 'refused' ? undefined : refinement.note?.(session, answer.events)
    if (note !== undefined) context.note(note)
    return written(context, answer)
  }
  const chosen = await context.sessionAt('read', textOf(input, 'sessionWord')).catch((error: unknown) => {
    if (refinement.anywhere === true && context.namedSession === undefined && isNoChoice(error)) return undefined
    throw error
  })
  if (chosen === undefined) {
    const value = await readOfNone(context, operation, filled)
    return { data: { value, seq: 0 }, text: () => textOfRead(context, operation, value) }
  }
  const { value, seq } = accepted(await chosen.session.run(operation.name, filled, { at: chosen.at }))
  return { data: { value, seq }, text: () => textOfRead(context, operation, value) }
}

const NO_CHOICE: ReadonlySet<string> = new Set(['SESSION_AMBIGUOUS', 'SESSION_NOT_FOUND', 'WORKSPACE_NOT_FOUND'])

const isNoChoice = (error: unknown): boolean => error instanceof EngineError && NO_CHOICE.has(error.code)

/** The settings are those of the workspace, where there is one. */
async function readOfNone(context: Context, operation: Operation, input: unknown): Promise<unknown> {
  const parsed = parseInput(operation, input)
  if (!parsed.ok) throw failure(parsed.refusal)
  const workspace = await context.workspace().catch((error: unknown) => {
    if (isNoChoice(error)) return undefined
    throw error
  })
  const settings = workspace?.kernel.settings
  return operation.read({}, parsed.input, { now: Date.now(), ...(settings === undefined ? {} : { settings }) })
}

function textOfRead(context: Context, { name }: Operation, value: unknown): string {
  if (value === undefined) return ''
  const told = name === 'task.why' ? whyText(context, value) : rowsText(context, value, COLUMNS[name])
  return told ?? recordText(context, value) ?? show(context, value, false).replace(/\n$/, '')
}

function memberOf({ field, schema }: Shape, input: Input): [string, unknown][] {
  const given = input[field]
  if (given === undefined) return []
  if (schema.type === 'array') return [[field, listOf(input, field).map((word) => itemOf(schema.items ?? {}, word))]]
  return [[field, typeof given === 'string' ? itemOf(schema, needed(input, field)) : given]]
}

const itemOf = (schema: Schema, word: string): unknown =>
  schema.type === 'string' || schema.enum !== undefined ? word : toValue(word, false)

function parameterOf({ field, schema, required }: Shape, refinement: Refinement): Parameter {
  const rest = schema.type === 'array' ? { rest: true as const } : {}
  return {
    name: kebab(field).toUpperCase(),
    field,
    type: typeIn(field, schema),
    required,
    ...rest,
    ...choicesOf(schema),
    summary: summaryOf(field, schema, refinement),
  }
}

function flagOf({ field, schema, required }: Shape, refinement: Refinement): Flag {
  const repeat = schema.type === 'array' ? { repeat: true as const } : {}
  const said = summaryOf(field, schema, refinement)
  return {
    name: kebab(field),
    field,
    type: typeIn(field, schema),
    ...repeat,
    ...choicesOf(schema),
    value: valueOf(field, schema),
    summary: required ? `${said} (needed)` : said,
  }
}

function valueOf(field: string, schema: Schema): string {
  if (isTime(field, schema)) return 'TIME'
  return typeOf(schema) === 'number' ? 'N' : kebab(field).toUpperCase()
}

const switchesOf = (field: string, flag: Flag, { switches = [] }: Refinement): readonly Flag[] =>
  switches.includes(field)
    ? [flag, { ...flag, name: `no-${flag.name}`, off: true, summary: `the opposite of --${flag.name}` }]
    : [flag]

function summaryOf(field: string, schema: Schema, { words }: Refinement): string {
  const known = words?.[field] ?? schema.description
  if (known === undefined && schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  const said = known ?? usual(field) ?? kebab(field).replaceAll('-', ' ')
  return isTime(field, schema) ? `${said}; milliseconds, or a time such as 60s` : said
}

/** Operations take milliseconds, and people type times. */
const isTime = (field: string, schema: Schema): boolean => field.endsWith('_ms') && typeOf(schema) === 'number'

const typeIn = (field: string, schema: Schema): ValueType => (isTime(field, schema) ? 'milliseconds' : typeOf(schema))

function choicesOf({ enum: choices }: Schema): { readonly choices?: readonly string[] } {
  return choices === undefined ? {} : { choices: choices.map(String) }
}

function typeOf({ type, enum: choices, items }: Schema): ValueType {
  if (type === 'array') return items === undefined ? 'value' : typeOf(items)
  if (type === 'string' || choices !== undefined) return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'boolean' : 'value'
}

function exampleOf({ name }: Operation, words: readonly Shape[], flags: readonly Shape[]): string {
  const needs = flags
    .filter(({ required }) => required)
    .map(({ field }) => `--${kebab(field)} ${kebab(field).toUpperCase()}`)
  return [
    name.replace('.', ' '),
    ...words.filter(({ required }) => required).map(({ field }) => kebab(field).toUpperCase()),
    ...needs,
  ].join(' ')
}

const kebab = (field: string): string =>
  field
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
const lowerFirst = (text: string): string =>
  (text.charAt(0) + text.charAt(1)).replace(/^[A-Z][a-z]/, (both) => both.toLowerCase()) + text.slice(2)
