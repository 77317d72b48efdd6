/** The chosen tools as the protocol describes them, made from the catalogue. */
import type { Tool as Described } from '@modelcontextprotocol/server'
import { toJSONSchema } from 'zod/v4/core'
import type { Members } from '../../kernel/json/members.ts'
import type { Catalogue, Operation } from '../../kernel/operation/operation.ts'
import { sharedSchema, type Use } from './arguments.ts'
import { CHOSEN, VIEWS, type Chosen } from './chosen.ts'

type Properties = NonNullable<Described['inputSchema']['properties']>

export interface Tool {
  readonly described: Described
  readonly use: Use
  /** Absent for a view. */
  readonly operation: Operation | undefined
  /** Names of the fields of its input. */
  readonly fields: readonly string[]
}

export async function toolsOf(operations: Catalogue): Promise<readonly Tool[]> {
  return Promise.all(CHOSEN.map(async (chosen) => toolOf(chosen, await operations.get(chosen.operation))))
}

const toolName = (operation: string): string => operation.replace('.', '_')

function toolOf(chosen: Chosen, operation: Operation | undefined): Tool {
  const isView = (VIEWS as readonly string[]).includes(chosen.operation)
  if (operation === undefined && !isView) throw new Error(`there is no operation ${chosen.operation}`)
  const use = isView ? 'view' : operation?.kind === 'write' ? 'write' : chosen.list === true ? 'list' : 'read'
  const { properties = {}, required = [] } = operation === undefined ? {} : inputOf(operation)
  const described: Described = {
    name: toolName(chosen.operation),
    description: chosen.about ?? operation?.summary ?? '',
    inputSchema: {
      type: 'object',
      // Made of JSON: what a schema becomes, and literals.
      properties: withAbout({ ...typed(properties), ...sharedSchema(use) }, chosen.fields) as Properties,
      ...(required.length === 0 ? {} : { required: [...required] }),
      additionalProperties: false,
    },
    outputSchema: outputOf(chosen, use),
    annotations: {
      readOnlyHint: use !== 'write',
      destructiveHint: chosen.destructive === true,
      idempotentHint: use !== 'write' || chosen.idempotent === true,
      openWorldHint: false,
    },
  }
  return { described, use, operation, fields: Object.keys(properties) }
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Members>>
  readonly required?: readonly string[]
}

const inputOf = ({ input }: Operation): ObjectSchema =>
  toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Providers read them with other engines, and refuse every tool for one that theirs does not know.
      delete jsonSchema.pattern
      // A bound that every number has says nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as ObjectSchema

const TYPES = ['object', 'string', 'number', 'boolean', 'null']
/** Codex takes what has no type for a string, and Gemini refuses a list of types. */
const ANY_JSON = { anyOf: [...TYPES.map((type) => ({ type })), { type: 'array', items: {} }] }

const typed = (properties: Readonly<Record<string, Members>>): Readonly<Record<string, Members>> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Object.keys(schema).length === 0 ? ANY_JSON : schema]),
  )

function withAbout(properties: Readonly<Record<string, Members>>, about: Chosen['fields'] = {}) {
  const said = ([name, schema]: readonly [string, Members]) =>
    [name, about[name] === undefined ? schema : { ...schema, description: about[name] }] as const
  return Object.fromEntries(Object.entries(properties).map(said))
}

const SEQ = { type: 'integer', description: 'for expected_seq' }

function outputOf({ operation, list, value }: Chosen, use: Use): Described['outputSchema'] {
  const whose = operation === 'inbox.list' ? {} : { session: { type: 'string' }, seq: SEQ }
  const what =
    list === true
      ? {
          items: { type: 'array', items: value ?? {} },
          total: { type: 'integer' },
          next_cursor: { type: 'string' },
        }
      : { value: value ?? {} }
  const wrote = {
    events: { type: 'array', items: { type: 'string' } },
    repeated: { type: 'boolean', description: 'the first answer to this key, again' },
  }
  return {
    type: 'object',
    properties: { ...whose, ...what, ...(use === 'write' ? wrote : {}) },
    required: [...Object.keys(whose), ...(list === true ? ['items', 'total'] : use === 'write' ? ['events'] : [])],
  }
}
