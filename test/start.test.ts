/* What a program loads before its first line runs: each file costs Node more than what is in it. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const dist = path.join(import.meta.dirname, '../dist')

/** Every file that one of dist/ imports, itself included. */
function loadedWith(entry: string): readonly string[] {
  const found = new Set([entry])
  for (const name of found) {
    const text = readFileSync(path.join(dist, name), 'utf8')
    for (const [, imported = ''] of text.matchAll(/^import [^;]*?"\.\/([\w-]+\.js)";$/gm)) found.add(imported)
  }
  return [...found].toSorted()
}

test.each(['index', 'mcp', 'steadfold-worker'])('C1 %s.js is loaded from three files', (entry) => {
  expect(loadedWith(`${entry}.js`)).toEqual(['chunk-base.js', 'chunk-core.js', `${entry}.js`])
})

test.each(['jsonpath', 'opencode', 'relays', 'sqlite', 'typescript', 'workflow-file'])(
  'C1 %s.js does not load the library with it',
  (entry) => {
    expect(loadedWith(`${entry}.js`)).toEqual(['chunk-base.js', `${entry}.js`])
  },
)

test('a thread that reads ahead begins with one file', () => {
  expect(loadedWith('steadfold-reader.js')).toEqual(['steadfold-reader.js'])
})

const names = readdirSync(dist)
const programs = names.filter((name) => name.endsWith('.cjs'))

test.each(programs.filter((name) => names.includes(name.replace('.cjs', '.js'))))(
  'H2 the binary loads %s, as V8 has compiled it, and not the form of the library',
  (name) => {
    const [folder = ''] = readdirSync(path.join(dist, 'compiled'))
    expect(readdirSync(path.join(dist, 'compiled', folder))).toContain(`${name}.cache`)
    const text = (file: string) => readFileSync(path.join(dist, file), 'latin1')
    expect(programs.filter((file) => text(file).includes(`"./${name.replace('.cjs', '.js')}"`))).toEqual([])
    expect(programs.filter((file) => text(file).includes(`"./${name}"`))).not.toEqual([])
  },
)

test('what the binary has in a form of its own is what only some commands need', () => {
  expect(programs).toEqual(expect.arrayContaining(['daemon.cjs', 'mcp.cjs', 'vault.cjs', 'workflow-file.cjs']))
})
