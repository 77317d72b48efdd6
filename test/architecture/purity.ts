import { parse } from './imports.ts'

/** Names that reach a clock, randomness, the environment, timers or the network. */
const FORBIDDEN = new Set([
  'process',
  'globalThis',
  'global',
  'performance',
  'crypto',
  'fetch',
  'WebSocket',
  'XMLHttpRequest',
  'eval',
  'Function',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'randomUUID',
  'getRandomValues',
  'console',
  'require',
  'Worker',
])
/** Members by which an allowed global reaches the same. Any other use of these objects as a value is refused too. */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Date: new Set(['parse', 'UTC', 'prototype']),
  Math: new Set(Object.getOwnPropertyNames(Math).filter((name) => name !== 'random')),
}
/** Types are not there at run time; their names are not uses. */
const TYPES = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterInstantiation',
  'TSTypeParameterDeclaration',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
])

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Identifier' ? String(value['name']) : undefined

/**
 * What a pure file must not do, by the names it uses. Comments and strings are not names, nor is `.process` after a
 * dot or `process:` in an object; a variable of such a name is refused as well, so nothing can hide behind it.
 */
export function impurities(file: string, text: string): readonly string[] {
  const found: string[] = []
  visit(parse(file, text) as unknown as Node, found)
  return found
}

function visit(node: Node, found: string[]): void {
  if (TYPES.has(node.type) || isTypeOnly(node)) return
  const verdict = judge(node)
  if (verdict.refused !== undefined) found.push(verdict.refused)
  for (const [field, value] of Object.entries(node)) {
    if (verdict.skip.includes(field)) continue
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) visit(child, found)
  }
}

/** `import type`, `export type`, `declare …`: gone before anything runs. */
const isTypeOnly = (node: Node) =>
  node['importKind'] === 'type' || node['exportKind'] === 'type' || node['declare'] === true

interface Verdict {
  readonly refused?: string
  /** Fields that hold no use of a name, or one that was judged here. */
  readonly skip: readonly string[]
}

function judge(node: Node): Verdict {
  if (node.type === 'Identifier') return judgeName(String(node['name']))
  if (node.type === 'MetaProperty') return { refused: 'import.meta', skip: ['meta', 'property'] }
  if (node.type === 'MemberExpression') return judgeMember(node)
  if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') return judgeNewDate(node)
  if (node.type === 'BinaryExpression' && node['operator'] === 'instanceof') return { skip: ['right'] }
  if (node['computed'] === false && 'key' in node) return { skip: node['shorthand'] === true ? [] : ['key'] }
  return { skip: [] }
}

function judgeName(name: string): Verdict {
  const refused = FORBIDDEN.has(name) || Object.hasOwn(MEMBERS, name)
  return refused ? { refused: name, skip: [] } : { skip: [] }
}

function judgeMember(node: Node): Verdict {
  const skip = node['computed'] === true ? [] : ['property']
  const allowed = MEMBERS[nameOf(node['object']) ?? '']
  if (!allowed) return { skip }
  const member = node['computed'] === true ? undefined : nameOf(node['property'])
  if (member !== undefined && allowed.has(member)) return { skip: ['object', 'property'] }
  return { refused: `${nameOf(node['object'])}.${member ?? '[computed]'}`, skip: ['object', 'property'] }
}

/** `new Date(text)` reads no clock; without arguments it does, and `...spread` may be empty. */
function judgeNewDate(node: Node): Verdict {
  const first = (node['arguments'] as readonly Node[])[0]
  const known = first !== undefined && first.type !== 'SpreadElement'
  return known ? { skip: ['callee'] } : { refused: 'new Date()', skip: ['callee'] }
}
