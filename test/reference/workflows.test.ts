/* What the page about workflows lists is what the program has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ASKED_RETRIES, classify } from '../../src/domain/steps/failure.ts'
import { DEFAULT_SCOPES, DEFAULT_WORKFLOW } from '../../src/domain/workflow/default.ts'
import { SCOPE_RULES } from '../../src/domain/workflow/scope.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/explanation/workflows.md'), 'utf8')
const code = (word: string) => `\`${word}\``
const row = (...cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')

/** The rows of the table whose first column is called so. */
function rowsBehind(head: string): readonly string[] {
  const lines = page.split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${head}`.trimEnd()))
  return lines.slice(at + 2, lines.indexOf('', at)).map((line) => line.replaceAll(/ +/g, ' '))
}

test('the page has the default states and what may come next', () => {
  const states = Object.entries(DEFAULT_WORKFLOW.states)
  expect(rowsBehind('state |')).toEqual(states.map(([name, { next }]) => row(code(name), next.map(code).join(', '))))
})

test('the page has the scopes and where they end', () => {
  expect(rowsBehind('scope |')).toEqual(
    Object.entries(DEFAULT_SCOPES).map(([scope, end]) => row(code(scope), code(end))),
  )
})

test('the page has the rules that tell a scope, in their order', () => {
  const rows = SCOPE_RULES.map(({ name, scope, any, unless = [] }, at) =>
    row(at + 1, code(name), code(scope), any.join(', '), unless.join(', ')),
  )
  expect(rowsBehind('| rule')).toEqual(rows)
})

/** `64–70, 126` */
const numbers = (cell = ''): readonly number[] =>
  cell.split(', ').flatMap((part) => {
    const [from = 0, to = from] = part.split('–').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })

test('the page has what follows of the status of a step, and of what the step says of it', () => {
  const every = numbers('1–255')
  const [, again = '', person = ''] = rowsBehind('it ends with')
  expect(numbers(again.split('|')[1])).toEqual(every.filter((exit) => classify(exit, undefined).asked))
  expect(numbers(person.split('|')[1])).toEqual(every.filter((exit) => classify(exit, undefined).class === 'terminal'))
  expect(again).toContain(`${ASKED_RETRIES} times or as often as its \`retries\` say if that is more`)
  expect(classify(0, 'transient:why')).toMatchObject({ class: 'transient', asked: true })
  expect(page.replaceAll('\n', ' ')).toContain('with `transient:why` it asks to be run again, as with 75')
})
