/*
 * Rows in memory, asked in SQL: SQLite as WebAssembly.
 *
 * Q1. It reads no file and writes none; what it holds is a copy, and an answer is all that leaves it.
 * Q2. Once it is asked, nothing in it changes: a statement that writes is refused.
 * Q3. One statement at a time, and every column of its answer under a name of its own.
 * Q4. A whole number that a double would change is refused, as everywhere.
 */
import type { Database as Memory, SqlValue, Statement } from 'sql.js'
import openSqlite from 'sql.js/dist/sql-wasm-inline.js'
import type { Cell, Columns, Database } from '../../kernel/database.ts'
import { asError, EngineError } from '../../kernel/error.ts'
import { survives } from '../../kernel/json/number.ts'

export class SqliteTables implements Database {
  readonly #memory: Memory
  #isFilled = false

  private constructor(memory: Memory) {
    this.#memory = memory
  }

  static async open(): Promise<SqliteTables> {
    // Its functions of old are not those of SQLite elsewhere.
    const sql = await openSqlite({ useOldExtensionFunctions: false })
    const memory = new sql.Database()
    memory.run('begin')
    return new SqliteTables(memory)
  }

  table(name: string, columns: Columns): (row: readonly Cell[]) => void {
    const typed = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`)
    this.#memory.run(`create table "${name}" (${typed.join(', ')})`)
    const insert = this.#memory.prepare(`insert into "${name}" values (${typed.map(() => '?').join(', ')})`)
    return (row) => insert.run([...row])
  }

  ask(query: string, values: readonly Cell[]): ReturnType<Database['ask']> {
    this.#fillNoMore()
    try {
      return this.#answer(query, values)
    } catch (cause) {
      if (cause instanceof EngineError) throw cause
      const { message } = asError(cause)
      throw new EngineError('QUERY_INVALID', message, {
        hint: /readonly/.test(message)
          ? 'tables are a copy to be read; what writes is an operation: steadfold --help'
          : 'steadfold sql prints the tables and their columns',
        cause,
      })
    }
  }

  #answer(query: string, values: readonly Cell[]): ReturnType<Database['ask']> {
    const statements = this.#memory.iterateStatements(query)
    const { value: statement } = statements.next()
    if (statement === undefined) throw new Error('there is no statement in it')
    bind(statement, values)
    const columns = statement.getColumnNames()
    const again = columns.find((name, i) => columns.indexOf(name) !== i)
    if (again !== undefined) throw new Error(`two columns are called "${again}": say AS, and another name`)
    const rows: Cell[][] = []
    // The types of sql.js lag behind it.
    const exact = statement as Statement & Exact
    while (statement.step()) rows.push(exact.get(null, { useBigInt: true }).map(toCell))
    if (statements.next().done !== true) throw new Error('it holds more than one statement: ask one after the other')
    return { columns, rows }
  }

  bytes(): Uint8Array {
    this.#fillNoMore()
    return this.#memory.export()
  }

  #fillNoMore(): void {
    if (this.#isFilled) return
    this.#isFilled = true
    this.#memory.run('commit')
    this.#memory.run('pragma query_only = on')
  }

  close(): void {
    this.#memory.close()
  }
}

/** SQLite takes a question mark without a value for null, and only a text for none is told of. */
function bind(statement: Statement, values: readonly Cell[]): void {
  if (takes(statement, [...values, ''])) throw new Error(`it has more question marks than values: ${values.length}`)
  if (!takes(statement, values)) throw new Error(`it has fewer question marks than values: ${values.length}`)
}

function takes(statement: Statement, values: readonly Cell[]): boolean {
  try {
    return statement.bind([...values])
  } catch {
    return false
  }
}

interface Exact {
  readonly get: (values: null, how: { readonly useBigInt: true }) => readonly (SqlValue | bigint)[]
}

/** Bytes as SQL writes them. Whole numbers come as they are, of 64 bits. */
function toCell(value: SqlValue | bigint): Cell {
  if (typeof value === 'bigint') return exactly(value)
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : value
}

function exactly(value: bigint): number {
  if (survives(String(value))) return Number(value)
  throw new EngineError('NUMBER_NOT_EXACT', `the number ${value} would become ${Number(value)}`, {
    hint: 'ask for it as text: cast(… as text)',
  })
}
