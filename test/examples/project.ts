/** A small project with one of everything that the review looks for. */

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const PACKAGE = `{
  "name": "shop",
  "version": "1.0.0",
  "license": "MIT",
  "main": "dist/index.js",
  "scripts": { "test": "vitest run", "start": "node scripts/serve.mjs" },
  "dependencies": {
    "express": "^4.0.0",
    "ghost": "^1.0.0",
    "anything": "*",
    "drifted": "^2.0.0"
  },
  "devDependencies": {
    "vitest": "^4.0.0"
  }
}
`

const entry = (name: string, more: object = {}): object => ({
  version: '1.0.0',
  resolved: `https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz`,
  integrity: 'sha512-x',
  license: 'MIT',
  ...more,
})

const LOCK = JSON.stringify(
  {
    name: 'shop',
    lockfileVersion: 3,
    packages: {
      '': {
        name: 'shop',
        dependencies: { express: '^4.0.0', ghost: '^1.0.0', anything: '*', drifted: '^1.0.0' },
        devDependencies: { vitest: '^4.0.0' },
      },
      'node_modules/express': entry('express', { hasInstallScript: true }),
      'node_modules/ghost': entry('ghost', { license: undefined }),
      'node_modules/anything': entry('anything', { license: 'GPL-3.0-only' }),
      'node_modules/drifted': entry('drifted', { license: '(GPL-3.0 OR MIT)' }),
      'node_modules/drifted/node_modules/express': entry('express', { version: '3.0.0' }),
      'node_modules/vitest': entry('vitest', { dev: true }),
    },
  },
  null,
  2,
)

const CART = `import express from 'express'
import { price } from './price.js'
import type { Money } from './price.ts'
import missing from 'not-declared'

// FIXME(ann): rounding is wrong for yen
const text = 'TODO: this is a string, no marker'
const pattern = /[/*]TODO: nor this/

/* TODO: remove when v2 is out */
export function total(items: readonly Money[]): number {
${lines(130, (index) => `  const step${index} = ${index}`)}
  return items.length + price(express, missing, text, pattern)
}

export const unusedHere = () => total([])
export const usedByIndex = 1
// The words TODO/FIXME in prose are no markers.
`

const OLD = `export function nobody() {
  return 1
}
// const before = compute(1)
// if (before > 2) {
//   send(before)
// }
// return before
`

export const PROJECT: Readonly<Record<string, string>> = {
  'package.json': PACKAGE,
  'package-lock.json': `${LOCK}\n`,
  'node_modules/ghost/package.json': '{"name":"ghost","version":"1.0.0"}',
  'node_modules/ghost/index.js': 'module.exports = 1\n',
  '.gitignore': '*.tmp\n/private/\n!keep.tmp\n',
  'scratch.tmp': 'ignored\n',
  'keep.tmp': 'kept\n',
  'private/secret.ts': '// FIXME: never seen\n',
  'src/index.ts': "export { total, usedByIndex } from './cart.ts'\nexport * from './price.ts'\n",
  'src/cart.ts': CART,
  'src/price.ts':
    'export type Money = { readonly cents: number }\nexport function price(...all: unknown[]): number {\n  return all.length\n}\n',
  'src/old.ts': OLD,
  'src/merge.ts': 'export const a = 1\n<<<<<<< HEAD\nconst b = 1\n=======\nconst b = 2\n>>>>>>> topic\n',
  'src/big.ts': `${lines(230, (index) => `export const v${index} = [${index}]`)}\n`,
  'scripts/serve.mjs': "import '../src/merge.ts'\nconst name = process.argv[2]\nawait import(name)\n",
  'src/cart.test.ts':
    "import { total } from './cart.ts'\nimport * as big from 'x-big'\nit('adds', () => total([]))\nit.skip('later', () => {})\n",
  'test/shape.test.ts': "describe.only('shape', () => {\n  test('one', () => {})\n})\n",
  'tools/clean.py':
    'import os\n\n\ndef clean(path):\n    """TODO: a docstring is no comment"""\n    # HACK: until the API is there\n    return os.path.join(\n        path,\n    )\n',
}

/** Files whose names and contents try to break the report. */
export const HOSTILE: Readonly<Record<string, string | Uint8Array>> = {
  'src/a b.ts': '// TODO: spaces\nexport const a = (x) => {\n  return x\n}\n',
  'src/line\nbreak.ts': '// TODO: newline | pipe `tick` <b>bold</b> **9** files\n',
  'src/pipe|tick`star*.ts': '// FIXME: name\n',
  'src/percent%41:7.ts': '// FIXME: percent\n',
  'src/colon:12': '<<<<<<< a\n=======\n>>>>>>> b\n',
  'src/\u202egnp.ts': '// FIXME: right to left\n',
  'src/blob.bin': new Uint8Array(4096),
  'src/fake.ts': new Uint8Array([0x2f, 0x2f, 0, 1, 2, 255, 254]),
  'src/huge.log': new Uint8Array(2 * 1024 * 1024).fill(97),
  'src/empty.ts': '',
  'src/unclosed.ts': 'export const a = `${{{(((/*\n',
  'src/min.js': `var a=1;${'a=a+1;'.repeat(2000)}\n`,
  'package.json':
    '{"name": 7, "dependencies": ["x"], "scripts": null, "exports": {"a": {"b": [1, null]}}, "__proto__": {"x": 1}}',
  'sub/package.json': '{ not json',
  'sub/package-lock.json':
    '{"packages": {"node_modules/x": null, "node_modules/y": {"version": 3, "license": {"a": 1}}, "": 7}}',
  'go.mod': 'module x\nrequire (\n\tgithub.com/a/b v1.0.0\n)\n',
  'tsconfig.json': '{"compilerOptions": {"paths": {',
  '.gitignore': '[\n[!\n***x\n\\\n/\n!\n',
}
