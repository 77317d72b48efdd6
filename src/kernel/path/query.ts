import type { Keys } from './path.ts'

/** One place a query found. `path` is normalized: member names and non-negative indices; made when first asked for. */
export interface QueryNode {
  readonly value: unknown
  readonly path: Keys
}

/** A compiled query; it keeps no state between roots. */
export interface Query {
  (root: unknown): readonly QueryNode[]
  /** The values of the nodes, for less. */
  values(root: unknown): readonly unknown[]
}

/** RFC 9535 behind a port, since its parser is a package. `compile` throws QUERY_INVALID with the position. */
export interface QueryEngine {
  compile(text: string): Query
}
