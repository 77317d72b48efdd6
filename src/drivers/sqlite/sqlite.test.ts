import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Cell } from '../../kernel/database.ts'
import { SqliteTables } from './sqlite.ts'

let database: SqliteTables
beforeEach(async () => {
  database = await SqliteTables.open()
})
afterEach(() => database.close())

function fill() {
  const insert = database.table('things', { name: 'text', n: 'integer', cost: 'real' })
  for (const row of [
    ['a', 1, 0.5],
    ['b', 2, null],
    [null, 3, 7],
  ] satisfies Cell[][])
    insert(row)
}

test('rows are found with their types, and joined, grouped and searched as SQLite does', () => {
  fill()
  expect(database.ask('select * from things order by n desc', [])).toEqual({
    columns: ['name', 'n', 'cost'],
    rows: [
      [null, 3, 7],
      ['b', 2, null],
      ['a', 1, 0.5],
    ],
  })
  expect(database.ask('select count(*) n, sum(cost) as "all" from things where n > ?', [1]).rows).toEqual([[2, 7]])
  expect(database.ask(`select json_extract('{"a":[1,{"b":"c"}]}', '$.a[1].b') v, x'00ff' raw`, []).rows).toEqual([
    ['c', "x'00ff'"],
  ])
  expect(database.ask('with t as (select 1 as one) select one from t -- the end', []).rows).toEqual([[1]])
})

test('Q4 whole numbers are exact, or refused', () => {
  const most = Number.MAX_SAFE_INTEGER
  expect(database.ask(`select ${most} n, -${most} m, 2.5 r, null u`, []).rows).toEqual([[most, -most, 2.5, null]])
  for (const kept of [2 ** 53, 1e17, -1e18]) expect(database.ask(`select ${BigInt(kept)} n`, []).rows).toEqual([[kept]])
  for (const more of ['9007199254740993', '1152921504606846976', '9223372036854775807', '-9223372036854775808']) {
    expect(() => database.ask(`select ${more}`, [])).toThrow(expect.objectContaining({ code: 'NUMBER_NOT_EXACT' }))
    expect(database.ask(`select cast(${more} as text) t`, []).rows).toEqual([[more]])
  }
})

test('Q2 nothing in it changes', () => {
  fill()
  for (const statement of ['delete from things', 'create table more (a)', "update things set name = 'x'", 'vacuum'])
    expect(() => database.ask(statement, []), statement).toThrow(expect.objectContaining({ code: 'QUERY_INVALID' }))
  expect(database.ask('select count(*) from things', []).rows).toEqual([[3]])
})

test.each([
  ['', 'no statement'],
  ['-- nothing', 'no statement'],
  ['select * fro things', 'syntax error'],
  ['select nam from things', 'no such column: nam'],
  ['select 1; select 2', 'more than one statement'],
  ['select 1 as a, 2 as a', 'two columns are called "a"'],
])('Q3 %j is refused: %s', (query, message) => {
  fill()
  expect(() => database.ask(query, [])).toThrow(message)
})

test('each question mark has one value', () => {
  expect(() => database.ask('select ?, ?', ['a'])).toThrow('more question marks than values: 1')
  expect(() => database.ask('select ?', ['a', 'b'])).toThrow('fewer question marks than values: 2')
  expect(() => database.ask('select 1', ['a'])).toThrow('fewer question marks than values: 1')
  expect(() => database.ask('select ?', [])).toThrow('more question marks than values: 0')
})

test('it goes into a file of SQLite', () => {
  fill()
  expect(Buffer.from(database.bytes()).subarray(0, 15).toString()).toBe('SQLite format 3')
})
