/* What pages and documents tell somebody to type is a line that the program understands. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/compose/operations.ts'
import type { App } from '../../src/surfaces/cli/context/app.ts'
import { parseCold } from '../../src/surfaces/cli/parse/cold.ts'
import { makeTable } from '../../src/surfaces/cli/table/commands.ts'

const root = join(import.meta.dirname, '../..')
// Lines are only parsed; nothing that a command would run is asked for.
const table = makeTable({ operations } as unknown as App)

const below = (folder: string, ending: RegExp) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`)
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** `'steadfold task add "x"'` and `text="steadfold ui"` in the sources of the pages. */
const inPages = below('web/src', /(?<!\.test)\.tsx?$/).flatMap((file) =>
  [...textOf(file).matchAll(/(['"])steadfold ((?:(?!\1).)+)\1/g)].map(([, , line = '']) => line),
)

/** Lines of code blocks, fenced or indented, with or without a prompt. */
const inDocuments = [
  'README.md',
  ...below('docs/how-to', /\.md$/),
  ...below('docs/explanation', /\.md$/),
  ...below('examples', /\.md$/),
  ...below('plugins', /\.md$/),
].flatMap((file) =>
  [
    ...textOf(file)
      .replaceAll(/ \\\n\s*/g, ' ')
      .matchAll(/^(?: {4}|\w[\w-]*\$ +|\$ +)?(?:npx )?steadfold ([a-z].*)$/gm),
  ].map(([, line = '']) => line),
)

/** The words of the first command of a line, without its comment and where its output goes. */
const wordsOf = (line: string): readonly string[] =>
  [...line.replace(/ +(#|&&|[|;<>&]).*$/, '').matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ''),
  )

async function notUnderstood(lines: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const line of lines) {
    await parseCold(table, wordsOf(line)).catch((error: unknown) => wrong.push(`${line}: ${String(error)}`))
  }
  return wrong
}

test('every command that a web page shows is understood', async () => {
  expect(inPages.length).toBeGreaterThan(35)
  expect(await notUnderstood(inPages)).toEqual([])
})

test('every command in a code block of a document is understood', async () => {
  expect(inDocuments.length).toBeGreaterThan(100)
  expect(await notUnderstood(inDocuments)).toEqual([])
})

test('every next step of the page of errors is a command that can be typed', async () => {
  const steps = [...textOf('docs/errors.md').matchAll(/`steadfold ([a-z][^`]*)`/g)].map(([, line = '']) => line)
  expect(steps.length).toBeGreaterThan(50)
  expect(await notUnderstood(steps)).toEqual([])
})
