/** A value of a row; truth values are 0 and 1, lists and objects their JSON. */
export type Cell = string | number | null

/** Column -> type of its values, in their order. */
export type Columns = Readonly<Record<string, 'text' | 'integer' | 'real'>>

/** Rows in memory, asked in SQL. Behind a port, since whoever does not ask need not load it. */
export interface Database {
  /** Makes a table; what it gives takes rows, until the first question. */
  table(name: string, columns: Columns): (row: readonly Cell[]) => void
  /** One statement that reads; `values` stand for its question marks. Throws QUERY_INVALID. */
  ask(
    query: string,
    values: readonly Cell[],
  ): { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  /** The whole as a file of SQLite. */
  bytes(): Uint8Array
  close(): void
}
