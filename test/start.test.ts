/* What a program loads before its first line runs: each file costs Node more than what is in it. */
import { readFileSync } from 'node:fs'
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
