import type { Keys } from './path.ts'

/** One place a query found. `path` is normalized: member names and non-negative indices; made when first asked for. */
export interface QueryNode {
  readonly value: unknown
  readonly path: Keys
}

/** A compiled query; it keeps no state between roots. */
export type Query = (root: unknown) => readonly QueryNode[]

/** RFC 9535 behind a port, since its parser is a package. `compile` throws QUERY_INVALID with the position. */
export interface QueryEngine {
  compile(text: string): Query
}
