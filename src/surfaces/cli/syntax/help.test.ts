import { expect, test } from 'vitest'
import { operations } from '../../../compose/operations.ts'
import type { App } from '../context/app.ts'
import { makePaint } from '../show/paint.ts'
import { makeTable } from '../table/commands.ts'
import { commandHelp, nounHelp, overview } from './help.ts'

const WIDTH = 80
const look = { paint: makePaint(false), width: WIDTH }
const commands = await makeTable({ operations } as unknown as App).all()
const nouns = new Set(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0] ?? ''))

/** Examples are lines to copy. */
const tooWide = (help: string): readonly string[] =>
  help.split('\n').filter((line) => line.length > WIDTH && !line.startsWith('  $ '))

test('help begins with examples, and fits the width of the terminal', () => {
  const pages = [
    overview(commands, look),
    ...[...nouns].map((noun) => nounHelp(noun, commands, look)),
    ...commands.map((command) => commandHelp(command, look)),
  ]
  expect(pages.flatMap(tooWide)).toEqual([])
  expect(pages.filter((page) => !/^Examples\n {2}\$ (?:\S+ \| )?steadfold /.test(page))).toEqual([])
})

test('the overview names every command once, each in a group', () => {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const words = new Set(shown.map(({ name }) => name.split(' ')[0]))
  const named = [...overview(commands, look).matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, word]) => word)
  expect(new Set(named)).toEqual(words)
  expect(named).toHaveLength(words.size)
})

test('what a word or a flag is, is said once and is more than its name', () => {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const all = shown.flatMap(({ name, parameters, flags }) => [...parameters, ...flags].map((each) => ({ name, each })))
  const tasks = all.filter(({ each }) => each.field === 'task' || each.field === 'task_id')
  expect(tasks.filter(({ each }) => /^task( id)?$/.test(each.summary)).map(({ name }) => name)).toEqual([])
  const times = all.filter(({ each }) => each.type === 'milliseconds')
  expect(times.length).toBeGreaterThan(10)
  expect(times.filter(({ each }) => !/milliseconds, or a time/.test(each.summary))).toEqual([])
  expect(all.filter(({ each }) => each.type === 'number' && each.field.endsWith('_ms'))).toEqual([])
  expect(all.filter(({ each }) => each.summary.includes('may be repeated'))).toEqual([])
})

test('choices that a flag names by itself are not named again', () => {
  const configure = commands.find(({ name }) => name === 'session configure')
  expect(configure && commandHelp(configure, { ...look, width: 500 })).toMatch(/explicit, informed or automatic$/m)
})

test('what is said of a flag has half of the line, however long its name is', () => {
  const begins = commands.flatMap((command) =>
    [...commandHelp(command, look).matchAll(/^ {2}(?:-\w, | {4})--\S.*?(?: {2,}|\n +)(?=\S)/gm)].map(
      ([row]) => (row.split('\n').at(-1) ?? '').length,
    ),
  )
  expect(begins.length).toBeGreaterThan(500)
  expect(begins.filter((at) => at > WIDTH / 2)).toEqual([])
})
