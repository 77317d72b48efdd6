/*
 * What the inputs of operations are made of, written down. A noun is parsed when a line names it.
 */
import { rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Where they are made of the schemas instead. */
export const SHAPES = 'src/surfaces/cli/syntax/shapes.ts'

const SOURCE = `
export { operations } from './src/compose/operations.ts'
export { shapesOf } from './${SHAPES}'
`

let text

/** The text of a module that stands in for SHAPES. `folder` is for the build alone. */
export const writtenShapes = (folder) => (text ??= written(folder))

async function written(folder) {
  const { operations, shapesOf } = await evaluated(folder)
  const nouns = {}
  for (const operation of await operations.all()) {
    const [noun, verb] = operation.name.split('.')
    nouns[noun] = { ...nouns[noun], [verb]: shapesOf(operation) }
  }
  const texts = Object.entries(nouns).map(([noun, verbs]) => [noun, JSON.stringify(verbs)])
  return `const written = ${JSON.stringify(Object.fromEntries(texts))}
const read = new Map()
export const shapesOf = ({ name }) => {
  const [noun, verb] = name.split('.')
  if (!read.has(noun)) read.set(noun, JSON.parse(written[noun]))
  return read.get(noun)[verb]
}
`
}

async function evaluated(folder) {
  const stdin = { contents: SOURCE, resolveDir: '.', loader: 'ts' }
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  const file = resolve(folder, 'written-shapes.mjs')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, outputFiles[0].contents)
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(file, { force: true })
  }
}
