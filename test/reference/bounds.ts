/** The part of JSON Schema that inputs of operations are made of. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly default?: unknown
}

/** `integer from 1 to 10; 5 when left out` */
export function bounds(schema: Schema): string {
  const { default: otherwise } = schema
  const text = kindOf(schema)
  const plain = otherwise === undefined || otherwise === false || (Array.isArray(otherwise) && otherwise.length === 0)
  return plain ? text : `${text}; \`${JSON.stringify(otherwise)}\` when left out`
}

function kindOf(schema: Schema): string {
  const { type, enum: choices, const: only, anyOf, items, properties } = schema
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(' or ')
  switch (type) {
    case 'array':
      return `several${rangeOf(schema.minItems, schema.maxItems)}: ${items === undefined ? 'any' : kindOf(items)}`
    case 'object':
      return properties === undefined ? 'object' : `object of ${Object.keys(properties).join(', ')}`
    case 'string':
      return `text${rangeOf(schema.minLength, schema.maxLength, ' long')}${patternOf(schema)}`
    case 'integer':
      return `integer${rangeOf(leastOf(schema), mostOf(schema))}`
    case 'number':
      return `number${aboveOf(schema)}`
    case 'boolean':
      return 'on or off'
    case undefined:
      return 'JSON or text'
    default:
      return type
  }
}

const patternOf = ({ pattern }: Schema): string => (pattern === undefined ? '' : ` as \`${pattern}\``)

/** Of numbers with fractions the least above a bound cannot be named. */
function aboveOf(schema: Schema): string {
  const { exclusiveMinimum: bound, maximum: most } = schema
  if (bound === undefined) return rangeOf(leastOf(schema), mostOf(schema))
  return ` above ${bound}${most === undefined ? '' : `, at most ${most}`}`
}

const leastOf = ({ minimum, exclusiveMinimum }: Schema): number | undefined => {
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1
  return least === Number.MIN_SAFE_INTEGER ? undefined : least
}

const mostOf = ({ maximum }: Schema): number | undefined => (maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum)

function rangeOf(least: number | undefined, most: number | undefined, unit = ''): string {
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return ` from ${least}${unit}`
  return least === undefined ? ` up to ${most}${unit}` : ` from ${least} to ${most}${unit}`
}
