/*
 * The hot programs get a list of modules of which most are loaded when there is something for them to do; see
 * src/kernel/state/lazy-module.ts. What a module says of itself, its slice and its events, is asked of it while building.
 */
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'

export const LIST = 'src/compose/modules.ts'
const LAZY_MODULE = 'src/kernel/state/lazy-module.ts'

/** Every hot command has to do with these. */
const ALWAYS = new Set(['session', 'data', 'outputs', 'workflow'])

/** The modules that are loaded on use: exported name, and source. */
export const LAZY = [
  ...readFileSync(LIST, 'utf8').matchAll(/import \{ (\w+Module) \} from '\.\.\/(domain\/(\w+)\/[\w-]+\.ts)'/g),
]
  .filter(([, , , module]) => !ALWAYS.has(module))
  .map(([, name, source]) => ({ name, source: `src/${source}` }))

/** The text of src/compose/modules.ts with those replaced. */
export async function lazyList() {
  const { factsOf, ...modules } = await evaluated()
  return LAZY.reduce(
    (text, { name, source }) => {
      const path = source.replace('src/', '../')
      const facts = JSON.stringify(factsOf(modules[name]))
      const lazy = `lazyModule(${facts}, () => require('${path}').${name})`
      return text
        .replace(`import { ${name} } from '${path}'\n`, '')
        .replace(new RegExp(`^  ${name},$`, 'm'), `  ${lazy},`)
    },
    `import { lazyModule } from '../${LAZY_MODULE.replace('src/', '')}'\n${readFileSync(LIST, 'utf8')}`,
  )
}

/** By exported name. */
async function evaluated() {
  const exported = [...LAZY, { name: 'factsOf', source: LAZY_MODULE }]
  const contents = exported.map(({ name, source }) => `export { ${name} } from './${source}'`).join('\n')
  const stdin = { contents, resolveDir: '.', loader: 'ts' }
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'esm', platform: 'node' })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}
