/*
 * What is tested of each module, counted from the sources: `npm run modules`, with --json for programs.
 *
 * rules       numbered in the comments at the head of the module's files (`K1.`)
 * named       of these, how many a test is named after
 * tables      decision tables, every state against every command, and their cells
 * lists       tests that run over a list of cases (`test.each`)
 * properties  checked on random input (fast-check)
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'

const domain = path.resolve(import.meta.dirname, '../src/domain')
const others = ['../src/runner', '../test'].map((folder) => path.resolve(import.meta.dirname, folder))

function countModules() {
  const outside = others
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.test.ts'))
    .map(textOf)
    .join('\n')
  return readdirSync(domain)
    .toSorted()
    .map((module) => countModule(module, outside))
    .filter(({ tests }) => tests > 0)
}

function countModule(module, outside) {
  const files = filesIn(path.join(domain, module))
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  const rules = new Set(files.filter((file) => !tests.includes(file)).flatMap((file) => rulesIn(textOf(file))))
  const texts = tests.map(textOf)
  const named = namesIn([...texts, outside].join('\n'))
  const unnamed = [...rules].filter((rule) => !named.has(rule))
  const tables = tests.flatMap(tablesIn)
  const sum = (pattern) => texts.reduce((total, text) => total + (text.match(pattern)?.length ?? 0), 0)
  return {
    module,
    rules: rules.size,
    named: rules.size - unnamed.length,
    tables: tables.length,
    cells: tables.reduce((total, cells) => total + cells, 0),
    lists: sum(/\b(?:test|describe)\.each\b/g),
    properties: sum(/\bfc\.(?:asyncProperty|property)\(/g),
    tests: sum(/\btest(?:\.each|\.skipIf\([^)]*\))?[(<]/g),
    unnamed,
  }
}

const textOf = (file) => readFileSync(file, 'utf8')

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))

/** ` * K1. A …` of the comment at the head of a file. */
function rulesIn(text) {
  const head = /^\/\*[\s\S]*?\*\//.exec(text)?.[0] ?? ''
  return [...head.matchAll(/^ \* ([A-Z]{1,2}\d+)\. /gm)].map(([, rule]) => rule)
}

/** Numbers at the beginning of the names of tests: `K1`, `S1–S6`, `K1 K3:`. */
function namesIn(text) {
  const named = new Set()
  const names = text.matchAll(/\b(?:test|describe)\b[^'"`\n]*(?:\n\s*)?['"`]((?:[A-Z]{1,2}\d+(?: and |[–, :])*)+)/g)
  for (const [, numbers] of names) {
    for (const [, letter, from, to] of numbers.matchAll(/([A-Z]{1,2})(\d+)(?:–[A-Z]{1,2}(\d+))?/g))
      for (let at = Number(from); at <= Number(to ?? from); at++) named.add(`${letter}${at}`)
  }
  return named
}

/** Cells of each constant of the type `Record<State, Record<Command, …>>`. */
function tablesIn(file) {
  const found = []
  const types = typesOf(file)
  for (const annotation of types.constants) {
    const [states, row] = recordOf(annotation) ?? []
    const [commands] = recordOf(row) ?? []
    if (commands !== undefined) found.push(sizeOf(states, types) * sizeOf(commands, types))
  }
  return found
}

/** Key and value of a `Record`, also of one that is read-only. */
function recordOf(type) {
  const [first, second] = type?.typeArguments?.params ?? []
  if (type?.typeName?.name === 'Readonly') return recordOf(first)
  return type?.typeName?.name === 'Record' ? [first, second] : undefined
}

function sizeOf(type, types) {
  switch (type.type) {
    case 'TSLiteralType':
      return 1
    case 'TSUnionType':
      return type.types.reduce((sum, each) => sum + sizeOf(each, types), 0)
    case 'TSParenthesizedType':
      return sizeOf(type.typeAnnotation, types)
    case 'TSTypeOperator':
      return sizeOf(type.typeAnnotation, types)
    case 'TSIndexedAccessType':
      return sizeOf(type.objectType, types)
    case 'TSTypeQuery':
      return known('keys', type.exprName.name, types)
    case 'TSTypeReference':
      return sizeOf(known('aliases', type.typeName.name, types), types)
    default:
      throw new Error(`cannot count ${type.type}`)
  }
}

/** In the file itself, else in one beside it. */
function known(kind, name, types) {
  if (types[kind].has(name)) return types[kind].get(name)
  const beside = filesIn(types.folder)
    .map(typesOf)
    .find((each) => each[kind].has(name))
  if (beside === undefined) throw new Error(`no ${name} in ${types.folder}`)
  return beside[kind].get(name)
}

function typesOf(file) {
  const aliases = new Map()
  const keys = new Map()
  const constants = []
  for (const statement of parseSync(file, textOf(file)).program.body) {
    const made = statement.declaration ?? statement
    if (made.type === 'TSTypeAliasDeclaration') aliases.set(made.id.name, made.typeAnnotation)
    for (const { id, init } of made.type === 'VariableDeclaration' ? made.declarations : []) {
      const value = ['TSAsExpression', 'TSSatisfiesExpression'].reduce((each) => each?.expression ?? each, init)
      const members = value?.properties ?? value?.elements
      if (members !== undefined) keys.set(id.name, members.length)
      constants.push(id.typeAnnotation?.typeAnnotation)
    }
  }
  return { aliases, keys, constants, folder: path.dirname(file) }
}

const COLUMNS = ['rules', 'named', 'tables', 'cells', 'lists', 'properties', 'tests']

function print(rows) {
  const all = COLUMNS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])
  console.table(
    Object.fromEntries([...rows.map((row) => [row.module, row]), ['all', Object.fromEntries(all)]]),
    COLUMNS,
  )
  for (const { module, unnamed } of rows)
    if (unnamed.length > 0) console.log(`${module}: no test is named after ${unnamed.join(', ')}`)
}

const rows = countModules()
if (process.argv.includes('--json')) console.log(JSON.stringify(rows))
else print(rows)
