/*
 * What the library always loads, in two files. A bundler that splits makes a chunk for each set of programs that share some
 * modules, eighty for `index.js` alone, and a file costs Node more than what is in it.
 *
 * C1  What small programs load, too, is a file of its own: from one file for all they would load everything.
 * C2  What is loaded on use stays a file of its own.
 */
import { basename } from 'node:path'
import { build } from 'esbuild'

const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/([\w-]+\.js)";\n/gm

/** The texts of a build by their names: what `entry` imports in two files; `small` are the programs of C1. */
export async function withCore({ outputFiles, metafile }, entry, small) {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const shared = closure(outputs, small)
  const all = [...closure(outputs, [entry])].filter((name) => outputs.get(name).entryPoint === undefined)
  const [base, core] = [all.filter((name) => shared.has(name)), all.filter((name) => !shared.has(name))]
  await merge(texts, exportsOf(outputs, base), 'chunk-base.js')
  await merge(texts, exportsOf(outputs, core), 'chunk-core.js')
  return texts
}

function closure(outputs, names) {
  const found = new Set(names)
  for (const name of found) {
    const statics = outputs.get(name).imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
    for (const { path } of statics) found.add(basename(path))
  }
  return found
}

/** What each exports, and its name in the file that has all of them: two may call different things the same. */
const exportsOf = (outputs, names) =>
  new Map(names.map((name, n) => [name, new Map(outputs.get(name).exports.map((word) => [word, `${word}_${n}`]))]))

async function merge(texts, exported, name) {
  const { outputFiles } = await build({
    stdin: { contents: [...exported].map(reexported).join('\n'), loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20.19',
    plugins: [fromMemory(texts, exported)],
  })
  for (const file of exported.keys()) texts.delete(file)
  for (const [file, text] of texts) texts.set(file, redirected(text, exported, name))
  texts.set(name, outputFiles[0].text)
}

const reexported = ([file, names]) =>
  `import './${file}'; export { ${[...names].map((pair) => pair.join(' as ')).join(', ')} } from './${file}'`

const fromMemory = (texts, exported) => ({
  name: 'from-memory',
  setup(context) {
    context.onResolve({ filter: /./ }, ({ path }) =>
      exported.has(basename(path)) ? { path: basename(path), namespace: 'memory' } : { path, external: true },
    )
    context.onLoad({ filter: /./, namespace: 'memory' }, ({ path }) => ({ contents: texts.get(path), loader: 'js' }))
  },
})

/** What a file imports of the merged ones, imported of the one. */
function redirected(text, exported, name) {
  const words = []
  const rest = text.replaceAll(IMPORT, (line, list, file) => {
    const names = exported.get(file)
    if (names === undefined) return line
    const pairs = list?.split(',').map((word) => word.trim().split(' as ')) ?? []
    words.push(...pairs.map(([word, local = word]) => `${names.get(word)} as ${local}`))
    return ''
  })
  return rest === text ? text : `import { ${words.join(', ')} } from "./${name}";\n${rest}`
}
