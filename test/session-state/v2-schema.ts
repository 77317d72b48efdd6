/* The list of fields as a JSON Schema in the shape of version 2.0.0, with `$defs` where a draft has them. */
import { DOCUMENT, PARTS, type Fields } from './v2-fields.ts'

export interface Node {
  type?: string | readonly string[]
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxItems?: number
  properties?: Record<string, Node>
  required?: string[]
  patternProperties?: Record<string, Node>
  items?: Node
  $ref?: string
}

const STEP = /(?:\/(?<like>[^/]+)\/|(?<name>\w+))(?<needed>!?)(?<list>\[(?<most>\d*)\])?(?:\.|$)/gy

/** Its description says 2.0.0: `version` is no word of a schema. */
export function v2Schema(): Readonly<Record<string, unknown>> {
  const parts = Object.entries(PARTS).map(([name, fields]) => [name, objectOf(fields)])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description: '2.0.0',
    ...objectOf(DOCUMENT),
    $defs: Object.fromEntries(parts) as unknown,
  }
}

function objectOf(fields: Fields): Node {
  const root: Node = {}
  for (const [path, said] of Object.entries(fields)) Object.assign(nodeAt(root, path), typeOf(said))
  return root
}

function nodeAt(root: Node, path: string): Node {
  let node = root
  for (const { groups: step = {} } of path.matchAll(STEP)) {
    const { like, name = '', needed, list, most } = step
    const owner = Object.assign(node, { type: 'object' })
    const members = like === undefined ? (owner.properties ??= {}) : (owner.patternProperties ??= {})
    node = members[like ?? name] ??= {}
    if (needed === '!' && !(owner.required ??= []).includes(name)) owner.required.push(name)
    if (list === undefined) continue
    Object.assign(node, { type: 'array' }, most === '' ? {} : { maxItems: Number(most) })
    node = node.items ??= {}
  }
  return node
}

const FORMATS = new Set(['uuid', 'date-time', 'date'])
const TYPES = new Set(['string', 'boolean', 'integer', 'number'])

function typeOf(said: string): Node {
  if (said === 'any') return {}
  if (said === 'string or array') return { type: ['string', 'array'] }
  if (said === 'sha256') return { type: 'string', pattern: '^[a-f0-9]{64}$' }
  if (said.startsWith('#')) return { $ref: `#/$defs/${said.slice(1)}` }
  const [word = '', bounds] = said.split(' ')
  const name = word.replace('?', '')
  const orNull = (type: string) => (word.endsWith('?') ? [type, 'null'] : type)
  if (FORMATS.has(name)) return { type: orNull('string'), format: name }
  if (TYPES.has(name)) return { type: orNull(name), ...boundsOf(bounds) }
  return { type: 'string', enum: said.split(' ') }
}

function boundsOf(bounds = '..'): Node {
  const [minimum, maximum] = bounds.split('..')
  return {
    ...(minimum ? { minimum: Number(minimum) } : {}),
    ...(maximum ? { maximum: Number(maximum) } : {}),
  }
}
