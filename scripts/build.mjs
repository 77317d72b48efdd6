/*
 * Builds dist/ from src/: see entries.mjs.
 *
 * B1  Files land by rename, entries last, so a reader never meets half a build.
 * B2  Modules of src/ that are entries themselves are never bundled into another entry: they are loaded by name.
 * B3  Nothing that is published asks for a package to be installed, but for the peers that are optional.
 *
 * --if-stale builds only when an input has changed since the last build.
 */
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { withBanner } from './banners.mjs'
import { withCore } from './core.mjs'
import { ADAPTERS, BINARY, ENTRIES, outputName } from './entries.mjs'
import { compiled, sharpened, wrapped } from './hot.mjs'
import { licences } from './licences.mjs'
import { englishOnly, nothingSpawned, smallValidator, yamlAsModule, zodLater } from './packages.mjs'
import { prepared } from './prepared.mjs'
import { inputsHash, isFresh, shapeOf, STAMP } from './stale.mjs'
import { declarations, declarationSources } from './types.mjs'
import { webPages } from './web.mjs'

const OUT = 'dist'
const TEMPORARY = `node_modules/.cache/steadfold/build-${process.pid}`

/** B2: an entry that another one imports becomes a file next to it; operations only for the hot programs. */
const entriesByName = (format, hot) => ({
  name: 'entries-by-name',
  setup(context) {
    context.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined
      const target = join(resolveDir, path)
      const same = ENTRIES.filter(({ source }) => join(process.cwd(), source) === target)
      const entry = same.find((each) => each.format === format) ?? same[0]
      const isFile = entry !== undefined && entry.output !== 'index' && (hot || !entry.output.startsWith('hot-'))
      if (isFile) return { path: `./${outputName(entry)}`, external: true }
      // What hot programs do not use goes with the function that loads it; were it used after all, B3 would say so.
      return hot && kind === 'dynamic-import' ? { path: `./absent/${basename(path)}`, external: true } : undefined
    })
  },
})

/** B3: loaded by name, where they are installed. */
const OPTIONAL = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).peerDependencies ?? {})

const COMMON = {
  external: OPTIONAL,
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  outdir: OUT,
  legalComments: 'none',
  define: { STEADFOLD_SHAPE: JSON.stringify(shapeOf('src/domain', 'src/kernel')) },
  logLevel: 'warning',
}
/** `ws` would look for two native packages that are not shipped; these are its own switches for doing without. */
const WITHOUT_NATIVE = { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' }
const ESM = {
  format: 'esm',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  minifySyntax: true,
  minifyWhitespace: false,
  define: { ...COMMON.define, ...WITHOUT_NATIVE, 'import.meta.url': '__here' },
}
/** A table, of which nobody reads 200,000 words one a line, or a thread that must begin soon. */
const ALONE = { ...ESM, splitting: false, minifyWhitespace: true }
const CJS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: {
    ...COMMON.define,
    ...WITHOUT_NATIVE,
    'import.meta.url': '__place.url',
    'import.meta.dirname': '__dirname',
  },
}
/** `require` starts in half the time of `import()`. */
const HOT = { ...CJS, supported: { 'dynamic-import': false }, logOverride: { 'import-is-undefined': 'error' } }

/** All ESM programs are one build, so that they share chunks; each CommonJS program is one file. */
const builds = (entries) => [
  bundle(
    ESM,
    entries.filter(({ format, alone }) => format === 'esm' && !alone),
  ),
  ...entries.filter(({ alone }) => alone).map((entry) => bundle(ALONE, [entry])),
  ...entries.filter(({ format }) => format === 'cjs').map((entry) => bundle(entry.hot ? HOT : CJS, [entry])),
]

async function bundle(options, entries) {
  const entryPoints = Object.fromEntries(entries.map(({ source, output }) => [output, source]))
  const plugins = [
    entriesByName(options.format, options === HOT),
    yamlAsModule,
    smallValidator,
    englishOnly,
    nothingSpawned,
    ...(options === HOT ? [zodLater] : []),
    ...(options.format === 'cjs' ? [prepared(TEMPORARY, options === HOT)] : []),
  ]
  const built = await build({ ...COMMON, ...options, plugins, entryPoints })
  const { outputFiles, metafile } = built
  assertNamesSurvive(metafile)
  const files = options.splitting
    ? await withCore(built, 'index.js', entries.filter(({ small }) => small).map(outputName))
    : new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const texts = [...files].map(async ([name, text]) => {
    const whole = withBanner(options.format === 'cjs' ? await sharpened(text, COMMON.target) : text, options.format)
    return [name, options.format === 'cjs' && name !== BINARY ? wrapped(whole) : whole]
  })
  return {
    files: await Promise.all(texts),
    inputs: Object.keys(metafile.inputs),
    imports: Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external)),
  }
}

/** `import('a-commonjs-package')` has its names under Node, but only `default` once bundled: refuse, do not ship. */
function assertNamesSurvive({ outputs }) {
  for (const { entryPoint, exports } of Object.values(outputs)) {
    if (entryPoint?.startsWith('node_modules/') && exports.join() === 'default') {
      throw new Error(
        `${entryPoint} is CommonJS and imported dynamically: resolve it to an ESM build in scripts/build.mjs`,
      )
    }
  }
}

/** B3 */
function assertSelfContained(imports, files) {
  const paths = [...new Set(imports.map(({ path }) => path))]
  const foreign = paths.filter((path) => !isBuiltin(path) && !path.startsWith('./') && !OPTIONAL.includes(path))
  const missing = paths.filter((path) => path.startsWith('./') && !files.has(basename(path)))
  if (foreign.length > 0) throw new Error(`dist/ would need packages that are not shipped: ${foreign.join(', ')}`)
  if (missing.length > 0) throw new Error(`dist/ would load files that are not built: ${missing.join(', ')}`)
}

/** B1 */
function place(name, content) {
  const target = join(OUT, name)
  const temporary = join(TEMPORARY, name.replaceAll('/', '+'))
  for (const folder of [dirname(target), TEMPORARY]) mkdirSync(folder, { recursive: true })
  writeFileSync(temporary, content)
  if (typeof content === 'string' && content.startsWith('#!')) chmodSync(temporary, 0o755)
  renameSync(temporary, target)
}

/** B1: chunks before the programs that load them. */
function scripts(bundles) {
  const programs = new Set(ENTRIES.map(outputName))
  const files = bundles.flatMap((bundle) => bundle.files).map(([name, text]) => [name, withHashbang(name, text)])
  const [chunks, entries] = [
    files.filter(([name]) => !programs.has(name)),
    files.filter(([name]) => programs.has(name)),
  ]
  return [...chunks, ...entries]
}

const withHashbang = (name, text) => (name === BINARY && !text.startsWith('#!') ? `#!/usr/bin/env node\n${text}` : text)

/** Programs for shells are shipped as they are. */
const shellPrograms = () =>
  readdirSync('src', { recursive: true })
    .filter((path) => /\.(sh|bash|zsh)$/.test(path))
    .map((path) => [basename(path), readFileSync(join('src', path), 'utf8')])

function removeLeftovers(files) {
  for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(OUT.length + 1)
    if (entry.isFile() && !files.has(name)) rmSync(join(OUT, name), { force: true })
  }
}

/** Where a package comes from is told by its path, which is another one behind a link. */
function assertOwnPackages() {
  if (!lstatSync('node_modules').isSymbolicLink()) return
  throw new Error('node_modules is a link, and what is bundled from there cannot be named: remove it, then npm ci')
}

async function buildAll(hash) {
  assertOwnPackages()
  const [web, ...bundles] = await Promise.all([webPages(), ...builds(ENTRIES)])
  const types = declarations(['index', ...ADAPTERS.map((name) => `adapters/${name}/${name}`)], OPTIONAL)
  const sources = [...[web, ...bundles].flatMap(({ inputs }) => inputs), ...declarationSources(types)]
  const notices = ['LICENSES.txt', licences(sources)]
  const files = new Map([...types, notices, ...shellPrograms(), ...web.files, ...scripts(bundles)])
  assertSelfContained(
    bundles.flatMap(({ imports }) => imports),
    files,
  )
  for (const [name, content] of files) place(name, content)
  for (const [name, content] of compiled(OUT)) {
    files.set(name, content)
    place(name, content)
  }
  place(STAMP, hash)
  removeLeftovers(files.set(STAMP, hash))
}

const hash = inputsHash()
if (!process.argv.includes('--if-stale') || !isFresh(hash, OUT)) {
  try {
    await buildAll(hash)
  } catch (error) {
    console.error(`build: ${error.message}`)
    process.exitCode = 1
  } finally {
    rmSync(TEMPORARY, { recursive: true, force: true })
  }
}
