/* Where a newer schema lacks what an older one has, or has it otherwise, in words. */
import type { Node } from './v2-schema.ts'

interface Newer extends Node {
  readonly anyOf?: readonly Newer[]
  readonly propertyNames?: Newer
  readonly additionalProperties?: Newer
}

type Root = Readonly<Record<string, unknown>>

export function differences(older: Root, newer: Root): readonly string[] {
  return [...new Set(compare({ older, newer }, '$', older, optionsOf(newer, newer)))]
}

interface Roots {
  readonly older: Root
  readonly newer: Root
}

function* compare(roots: Roots, name: string, node: Node, options: readonly Newer[]): Generator<string> {
  if (node.$ref !== undefined) {
    const part = node.$ref.split('/').at(-1) ?? ''
    yield* compare(roots, part, resolve(roots.older, node), options)
  } else if (options.length === 0) {
    yield `${name}: is not there`
  } else {
    for (const word of wordsAbout(node, options)) yield `${name}: ${word}`
    for (const [member, each, own] of membersOf(node, options))
      yield* compare(roots, `${name}${member}`, each, own === undefined ? [] : optionsOf(roots.newer, own))
  }
}

/** What is below a node, beside what the newer schema has there. */
function* membersOf(node: Node, options: readonly Newer[]): Generator<readonly [string, Node, Newer | undefined]> {
  const object = options.find(({ properties }) => properties !== undefined)
  const map = options.find(({ additionalProperties }) => additionalProperties !== undefined)
  const list = options.find(({ items }) => items !== undefined)
  for (const [member, each] of Object.entries(node.properties ?? {}))
    yield [`.${member}`, each, object?.properties?.[member]]
  for (const each of Object.values(node.patternProperties ?? {})) yield ['.*', each, map?.additionalProperties]
  if (node.items !== undefined) yield ['[]', node.items, list?.items]
}

function* wordsAbout(node: Node, options: readonly Newer[]): Generator<string> {
  const valued = options.filter(({ type }) => type !== 'null')
  yield* aboutTypes(typesOf(node), options.flatMap(typesOf))
  if (node.enum !== undefined)
    yield* aboutValues(
      node.enum,
      options.flatMap((each) => each.enum ?? []),
    )
  for (const each of valued) yield* [...aboutForm(node, each), ...aboutBounds(node, each), ...aboutNames(node, each)]
}

function* aboutTypes(older: readonly string[], newer: readonly string[]): Generator<string> {
  const fits = (type: string, allowed: string) => type === allowed || (type === 'integer' && allowed === 'number')
  for (const type of newer)
    if (older.length > 0 && !older.some((allowed) => fits(type, allowed))) yield `may be ${type}`
  for (const allowed of older) if (!newer.some((type) => fits(type, allowed))) yield `is never ${allowed}`
}

function* aboutValues(older: readonly unknown[], newer: readonly unknown[]): Generator<string> {
  for (const value of older) if (!newer.includes(value)) yield `has no ${String(value)}`
  for (const value of newer) if (!older.includes(value)) yield `has also ${String(value)}`
}

function* aboutForm(older: Node, newer: Newer): Generator<string> {
  for (const word of ['format', 'pattern', 'maxItems'] as const)
    if (older[word] !== undefined && newer[word] !== older[word]) yield `${word} is ${String(newer[word])}`
}

function* aboutBounds(older: Node, newer: Newer): Generator<string> {
  const [least, most] = [older.minimum ?? -Infinity, older.maximum ?? Infinity]
  if ((newer.minimum ?? -Infinity) < least) yield `may be below ${least}`
  if ((newer.maximum ?? Infinity) > most) yield `may be above ${most}`
}

const ANY_NAME = '^.+$'

function* aboutNames(older: Node, newer: Newer): Generator<string> {
  for (const member of older.required ?? [])
    if (newer.required?.includes(member) !== true) yield `${member} may be left out`
  const names = newer.propertyNames?.pattern ?? 'free'
  for (const pattern of Object.keys(older.patternProperties ?? {}))
    if (pattern !== names && pattern !== ANY_NAME) yield `names are ${names}, not ${pattern}`
}

const typesOf = ({ type = [] }: Node): readonly string[] => (typeof type === 'string' ? [type] : type)

function optionsOf(root: Root, node: Newer): readonly Newer[] {
  if (node.$ref !== undefined) return optionsOf(root, resolve(root, node))
  return node.anyOf === undefined ? [node] : node.anyOf.flatMap((each) => optionsOf(root, each))
}

function resolve(root: Root, { $ref = '' }: Node): Newer {
  const keys = $ref.split('/').slice(1)
  // A reference of these schemas is a path from their root.
  return keys.reduce((node: unknown, key) => (node as Root)[key], root) as Newer
}
