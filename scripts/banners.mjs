/*
 * What stands before a program where it is used, and only when asked for: CommonJS packages inside ESM need a `require`;
 * CommonJS output has no `import.meta.url`, nor has ESM that others bundle into CommonJS.
 *
 * In ESM it has another name: in `new URL('./a', import.meta.url)` bundlers take `a` for a file to copy, and end where it is a folder.
 */
const BANNERS = {
  esm: {
    'typeof require':
      "import { createRequire as __createRequire } from 'node:module';\n" +
      'const require = __createRequire(import.meta.url ?? __filename);\n',
    __here:
      "import { pathToFileURL as __urlOf } from 'node:url';\n" +
      'const __here = import.meta.url ?? __urlOf(__filename).href;\n',
  },
  cjs: { __place: 'const __place={get url(){return require("node:url").pathToFileURL(__filename).href}};' },
}

export function withBanner(text, format) {
  const hashbang = /^#!.*\n/.exec(text)?.[0] ?? ''
  const body = text.slice(hashbang.length)
  const banners = Object.entries(BANNERS[format]).map(([used, banner]) => (body.includes(used) ? banner : ''))
  return [hashbang, ...banners, body].join('')
}
