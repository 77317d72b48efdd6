/*
 * The functions of RFC 9535, section 2.4. `undefined` stands for Nothing; arguments were typed when the query was parsed.
 */
import { FunctionExpressionType, jsonpath } from 'json-p3'

export interface FilterFunction {
  readonly types: readonly FunctionExpressionType[]
  readonly run: (first: unknown, second: unknown) => unknown
}

const { NodesType, ValueType } = FunctionExpressionType

/** Made anew for each call in a query: `match` and `search` each keep the patterns they compiled. */
export const functions: Readonly<Record<string, () => FilterFunction>> = {
  length: () => ({ types: [ValueType], run: lengthOf }),
  // The type of the argument says that these are the values of nodes.
  count: () => ({ types: [NodesType], run: (nodes) => (nodes as readonly unknown[]).length }),
  value: () => ({ types: [NodesType], run: (nodes) => onlyValue(nodes as readonly unknown[]) }),
  match: () => ({ types: [ValueType, ValueType], run: matcher(new jsonpath.functions.Match()) }),
  search: () => ({ types: [ValueType, ValueType], run: matcher(new jsonpath.functions.Search()) }),
}

/** Unicode scalar values, elements or members. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string') return scalarCount(value)
  if (typeof value !== 'object' || value === null) return undefined
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** A pair of surrogates is one scalar value. */
const scalarCount = (text: string): number => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

const onlyValue = (nodes: readonly unknown[]): unknown => (nodes.length === 1 ? nodes[0] : undefined)

/** json-p3 turns other values into text before it matches them; RFC 9535 lets only text match. */
const matcher =
  (expression: { call(text: string, pattern: string): boolean }): FilterFunction['run'] =>
  (text, pattern) =>
    typeof text === 'string' && typeof pattern === 'string' && expression.call(text, pattern)
