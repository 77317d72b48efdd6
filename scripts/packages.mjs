/** What is bundled of packages, where it is not what they offer first. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The `node` export of yaml is CommonJS; its other build is the same code as ESM. */
export const yamlAsModule = {
  name: 'yaml-as-module',
  setup(context) {
    context.onResolve({ filter: /^yaml$/ }, () => ({ path: resolve('node_modules/yaml/browser/index.js') }))
  },
}

/** Messages of schemas are in English; the others would be most of every program that has one. */
export const englishOnly = {
  name: 'english-only',
  setup(context) {
    const contents = `export { default as en } from './en.js'`
    context.onLoad({ filter: /zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({ contents }))
  },
}

const SPAWNING = `const childProcess = require('node:child_process');`

/** commander can hand a command to another program, which nothing here does; loading what that takes is slow. */
export const nothingSpawned = {
  name: 'nothing-spawned',
  setup(context) {
    context.onLoad({ filter: /commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(SPAWNING)) throw new Error(`${path} loads child_process in another way`)
      return { contents: text.replace(SPAWNING, 'const childProcess = {};') }
    })
  },
}

const MCP = resolve('node_modules/@modelcontextprotocol/server/dist')
const SMALL = `export { default as process } from 'node:process'
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'`

/** Of the two validators of the MCP SDK the one that is an eighth of the other; nothing here is validated with either. */
export const smallValidator = {
  name: 'small-validator',
  setup(context) {
    const path = join(MCP, 'shims-of-steadfold')
    context.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path }))
    context.onLoad({ filter: /shims-of-steadfold$/ }, () => ({ contents: SMALL, resolveDir: MCP }))
  },
}

const ZOD = resolve('src/drivers/zod')
const BUILDERS = /export \{([^}]*)\} from 'zod\/mini'/

/** In a hot program zod is what src/drivers/zod/late.ts puts in the place of it. */
export const zodLater = {
  name: 'zod-later',
  setup(context) {
    const path = join(ZOD, 'hot.ts')
    context.onResolve({ filter: /^zod\/mini$/ }, ({ importer }) => (dirname(importer) === ZOD ? undefined : { path }))
    context.onLoad({ filter: /drivers[/\\]zod[/\\]hot\.ts$/ }, () => ({ contents: lateZod(), resolveDir: ZOD }))
  },
}

/** `enum` is one of the names. */
function lateZod() {
  const [, list] = BUILDERS.exec(readFileSync(join(ZOD, 'zod.ts'), 'utf8'))
  const names = list.match(/\w+/g)
  return `import { lateSchemas } from './late.ts'
const all = lateSchemas(${JSON.stringify(names)}, () => require('./zod.ts'))
const ${names.map((name) => `_${name} = all.${name}`).join(', ')}
export { ${names.map((name) => `_${name} as ${name}`).join(', ')} }`
}
