/** Sessions asked in SQL. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { visitAll } from '../../../kernel/care/shut.ts'
import type { Cell, Database } from '../../../kernel/database.ts'
import { EngineError } from '../../../kernel/error.ts'
import type { Session } from '../../../kernel/session.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { isOn, listOf, textOf, usage, type Input } from '../context/input.ts'
import { orRefused } from '../context/refusing.ts'
import { EXIT_PARTIAL, type Result } from '../context/result.ts'
import { nameOf } from '../context/scope.ts'
import { leaveSignals } from '../process/world.ts'
import { bytes, columns, plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { ARCHIVED } from '../syntax/flags.ts'
import { readText, toValue } from '../syntax/value.ts'
import { SQL_TABLES, toCell, type Looked, type SqlTable } from './sql-tables.ts'

export const sql: Command<App> = {
  name: 'sql',
  summary: 'ask all sessions, or one, in SQL',
  examples: [
    'sql',
    "sql 'select session, sum(cost_usd) from steps group by session'",
    "sql 'select at, op from commits where actor = ? order by at' agent:worker-1",
    'sql --file report.sql --session build-auth --at draft-done --json',
    'sql --out team.db',
  ],
  notes:
    'Without a query it prints the tables and their columns. The dialect is that of SQLite, with its functions for JSON and dates. Tables are a copy in memory, made for this question: nothing in it can be changed. With --out it becomes a file of SQLite, for other programs. Exit 10 when a session could not be read, which is told.',
  parameters: [
    { name: 'QUERY', field: 'query', type: 'text', required: false, summary: 'one statement, in quotes; - is stdin' },
    {
      name: 'VALUE',
      field: 'values',
      type: 'text',
      required: false,
      rest: true,
      summary: 'for each question mark, in order: JSON if it parses, else text',
    },
  ],
  flags: [
    { name: 'file', short: 'f', field: 'file', type: 'text', value: 'FILE', summary: 'read the query from a file' },
    {
      name: 'out',
      short: 'o',
      field: 'out',
      type: 'text',
      value: 'FILE',
      summary: 'keep all tables in a file of SQLite',
    },
    { name: 'force', field: 'force', type: 'boolean', summary: 'replace a file that is there' },
    ARCHIVED,
  ],
  shares: ['session', 'at'],
  run: async (context, input) => {
    const { query, values } = asked(context, input)
    const out = textOf(input, 'out')
    if (query === undefined && out === undefined) return tables(context)
    // A table that a question does not name is asked for by none.
    const isAsked = ({ name }: SqlTable) => query === undefined || new RegExp(`\\b${name}\\b`, 'i').test(query)
    const database = await context.app.database()
    try {
      const isPartial = await fill(context, database, isAsked)
      const answer = query === undefined ? keep(context, database, input) : answered(database, query, values)
      return { ...answer, ...(isPartial ? { exit: EXIT_PARTIAL } : {}) }
    } finally {
      database.close()
    }
  },
}

function asked(
  context: Context,
  input: Input,
): { readonly query: string | undefined; readonly values: readonly Cell[] } {
  const [word, file, out] = [textOf(input, 'query'), textOf(input, 'file'), textOf(input, 'out')]
  if (out !== undefined && (word !== undefined || file !== undefined))
    throw usage('--out keeps all tables, and a query asks them', 'steadfold sql --help')
  // With a file every word is a value.
  const words = [...(file === undefined || word === undefined ? [] : [word]), ...listOf(input, 'values')]
  const from = file ?? (word === '-' ? word : undefined)
  return {
    query: from === undefined ? word : readText(context, from),
    values: words.map((each) => toCell(toValue(each, false))),
  }
}

function tables({ paint }: Context): Result {
  const data = SQL_TABLES.map(({ name, summary, columns: of }) => ({ name, summary, columns: of }))
  const text = () =>
    data.map((each) => `${paint.bold(each.name)}  ${each.summary}\n  ${Object.keys(each.columns).join(' ')}`).join('\n')
  return { data, text }
}

/** Whether something is missing. */
async function fill(context: Context, database: Database, isAsked: (table: SqlTable) => boolean): Promise<boolean> {
  const made = SQL_TABLES.map((each) => ({ ...each, insert: database.table(each.name, each.columns) }))
  const filled = made.filter(isAsked)
  const take = async (looked: Looked): Promise<void> => {
    const of = { session: nameOf(looked.session), session_id: looked.session.id }
    for (const { insert, columns: names, rows } of filled) {
      const cells = Object.keys(names)
      for await (const row of rows(looked)) {
        const told: Readonly<Record<string, unknown>> = { ...of, ...row }
        insert(cells.map((name) => toCell(told[name])))
      }
    }
  }
  if (context.askedSession !== undefined || context.askedPoint !== undefined) {
    const { session, at } = await context.sessionAt('read')
    await take({ session, at, seq: at === undefined ? session.seq : await session.resolve(at) })
    return session.damage !== undefined
  }
  const cut: Session[] = []
  const shut = await visitAll(await context.workspace(), async (session) => {
    if (session.damage !== undefined) cut.push(session)
    await take({ session, at: undefined, seq: session.seq })
  })
  const next = (id: string) => context.kept(`steadfold verify --session ${quoted(id)}`)
  for (const { id, why } of shut) context.io.err(`warning: session ${id} is left out: ${why}; see ${next(id)}\n`)
  for (const { id, seq } of cut)
    context.io.err(`warning: session ${id} ends at commit ${seq}, where its log is damaged; see ${next(id)}\n`)
  return shut.length + cut.length > 0
}

function answered(database: Database, query: string, values: readonly Cell[]): Result {
  // It may take for ever.
  leaveSignals()
  const { columns: names, rows } = database.ask(query, values)
  const data = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])))
  const right = names.flatMap((_, i) => (rows.length > 0 && rows.every((row) => typeof row[i] === 'number') ? [i] : []))
  const cells = rows.map((row) => row.map((cell) => plain(String(cell ?? ''))))
  return {
    data,
    text: () => (rows.length === 0 ? 'no rows' : columns([names.map(plain), ...cells], { right }).join('\n')),
  }
}

function keep(context: Context, database: Database, input: Input): Result {
  const named = textOf(input, 'out') ?? ''
  const file = path.resolve(context.cwd, named)
  const content = database.bytes()
  const force = isOn(input, 'force')
  if (!force && fs.existsSync(file))
    throw new EngineError('NAME_TAKEN', `${named} is there already`, { hint: 'add --force to replace it' })
  orRefused(`cannot write ${file}`, () => place(file, content, force))
  return { data: { file, bytes: content.length }, text: `${file}  ${bytes(content.length)}` }
}

/** Whole, and for its owner alone; what stands there meanwhile, stays. */
function place(file: string, content: Uint8Array, force: boolean): void {
  const temporary = `${file}.${process.pid}.new`
  try {
    fs.writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' })
    if (force) fs.renameSync(temporary, file)
    else fs.copyFileSync(temporary, file, fs.constants.COPYFILE_EXCL)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}
