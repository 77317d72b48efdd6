/*
 * Builds dist/ from src/.
 *
 *   index.js, types/        the library: ESM, dependencies bundled, declarations self-contained
 *   langgraph.js, …         adapters for the frameworks of others: `steadfold/langgraph`
 *   steadfold-worker.js     the thread that writes checkpoints
 *   jsonpath.js             the parser of queries, which few commands need
 *   tokens.js               the tables of an encoding of tokens, which one command needs
 *   sqlite.js               SQLite as WebAssembly, for the command that asks in SQL
 *   nostr.js                checks and makes signatures, when there is something signed
 *   vault.js                bundles, keys and places, for the commands that move sessions
 *   opencode.js             what the plugin of opencode loads, in its process
 *   mcp.js, daemon.js, …    what only a few commands need, and the others would load with everything else
 *   *.sh, *.bash, *.zsh     programs for shells, as they are: the library, completion, the process beside a step's command
 *   steadfold.cjs           the binary: small CommonJS, the only one that Node itself loads; it loads the next, on use
 *   hot.cjs, hook.cjs,      the hot commands in one file; what agent CLIs call while they work in another;
 *   team.cjs                what agents share: tasks, locks, messages
 *   cli.cjs                 all commands
 *   hot-<module>.cjs        operations, with the schemas that only writes need; the intake of facts
 *   compiled/<V8>/          some of them as V8 has compiled them; see hot.mjs
 *   web/                    the pages that the daemon serves; see web.mjs
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
import { compiled, sharpened, wrapped } from './hot.mjs'
import { LAZY } from './lazy-modules.mjs'
import { licences } from './licences.mjs'
import { englishOnly, nothingSpawned, smallValidator, yamlAsModule } from './packages.mjs'
import { prepared } from './prepared.mjs'
import { inputsHash, isFresh, shapeOf, STAMP } from './stale.mjs'
import { declarations, declarationSources } from './types.mjs'
import { webPages } from './web.mjs'

const OUT = 'dist'
const TEMPORARY = `node_modules/.cache/steadfold/build-${process.pid}`

/** What compose/ loads on use: `hot-<module>.cjs`, or `hot-<module>-<file>.cjs` where a module has more than one list. */
const LISTS = new Map(
  ['operations', 'document']
    .flatMap((part) => [
      ...readFileSync(`src/compose/${part}.ts`, 'utf8').matchAll(
        /await import\('\.\.\/(domain\/(\w+)\/([\w-]+)\.ts)'\)/g,
      ),
    ])
    .map(([, source, module, file]) => [
      `src/${source}`,
      file === 'operations' ? module : `${module}-${file.replace(/-?operations$/, '')}`,
    ]),
)

/** Each is a subpath of the package. */
const ADAPTERS = ['langgraph', 'claude-agent-sdk', 'openai-agents']

/** Source, output and format of every program in the package. */
const ENTRIES = [
  { source: 'src/index.ts', output: 'index', format: 'esm' },
  ...ADAPTERS.map((name) => ({ source: `src/adapters/${name}/${name}.ts`, output: name, format: 'esm' })),
  { source: 'src/worker-main.ts', output: 'steadfold-worker', format: 'esm' },
  { source: 'src/drivers/jsonpath/jsonpath.ts', output: 'jsonpath', format: 'esm', small: true },
  { source: 'src/drivers/project/typescript.ts', output: 'typescript', format: 'esm', small: true },
  { source: 'src/drivers/tokens/tokens.ts', output: 'tokens', format: 'esm', table: true },
  { source: 'src/drivers/sqlite/sqlite.ts', output: 'sqlite', format: 'esm', small: true },
  { source: 'src/drivers/nostr/nostr.ts', output: 'nostr', format: 'esm', small: true },
  { source: 'src/compose/vault.ts', output: 'vault', format: 'esm' },
  { source: 'src/mcp.ts', output: 'mcp', format: 'esm' },
  { source: 'src/surfaces/http/daemon.ts', output: 'daemon', format: 'esm' },
  { source: 'src/surfaces/cli/agents/opencode-plugin.ts', output: 'opencode', format: 'esm', small: true },
  { source: 'src/drivers/relay/relays.ts', output: 'relays', format: 'esm', small: true },
  { source: 'src/drivers/project/workflow-file.ts', output: 'workflow-file', format: 'esm', small: true },
  { source: 'src/cli-main.ts', output: 'cli', format: 'cjs' },
  { source: 'src/hot-main.ts', output: 'hot', format: 'cjs', hot: true },
  { source: 'src/hook-main.ts', output: 'hook', format: 'cjs', hot: true },
  { source: 'src/team-main.ts', output: 'team', format: 'cjs', hot: true },
  { source: 'src/glance.ts', output: 'hot-glance', format: 'cjs', hot: true },
  { source: 'src/drivers/files/intake.ts', output: 'hot-intake', format: 'cjs', hot: true },
  { source: 'src/compose/sweepers.ts', output: 'hot-sweepers', format: 'cjs', hot: true },
  { source: 'src/drivers/files/attic.ts', output: 'hot-attic', format: 'cjs', hot: true },
  { source: 'src/references.ts', output: 'hot-references', format: 'cjs', hot: true },
  { source: 'src/drivers/postgres/open.ts', output: 'hot-postgres', format: 'cjs', hot: true },
  { source: 'src/drivers/postgres/archive.ts', output: 'hot-postgres-archive', format: 'cjs', hot: true },
  { source: 'src/drivers/postgres/attic.ts', output: 'hot-postgres-attic', format: 'cjs', hot: true },
  { source: 'src/drivers/nats/open.ts', output: 'hot-nats', format: 'cjs', hot: true },
  { source: 'src/drivers/nats/archive.ts', output: 'hot-nats-archive', format: 'cjs', hot: true },
  { source: 'src/drivers/nats/attic.ts', output: 'hot-nats-attic', format: 'cjs', hot: true },
  ...[...LISTS].map(([source, name]) => ({
    source,
    output: `hot-${name}`,
    format: 'cjs',
    hot: true,
  })),
  ...LAZY.map(({ name, source }) => ({
    source,
    output: `hot-module-${name.replace('Module', '')}`,
    format: 'cjs',
    hot: true,
  })),
  { source: 'src/main.ts', output: 'steadfold', format: 'cjs' },
]

const BINARY = 'steadfold.cjs'
const outputName = ({ output, format }) => `${output}.${format === 'cjs' ? 'cjs' : 'js'}`

/** B2: an entry that another one imports becomes a file next to it; operations only for the hot programs. */
const entriesByName = (hot) => ({
  name: 'entries-by-name',
  setup(context) {
    context.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined
      const target = join(resolveDir, path)
      const entry = ENTRIES.find(({ source }) => join(process.cwd(), source) === target)
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
/** Nobody reads 200,000 words one a line. */
const TABLE = { ...ESM, splitting: false, minifyWhitespace: true }
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
const HOT = { ...CJS, supported: { 'dynamic-import': false } }

/** All ESM programs are one build, so that they share chunks; each CommonJS program is one file. */
const builds = (entries) => [
  bundle(
    ESM,
    entries.filter(({ format, table }) => format === 'esm' && !table),
  ),
  ...entries.filter(({ table }) => table).map((entry) => bundle(TABLE, [entry])),
  ...entries.filter(({ format }) => format === 'cjs').map((entry) => bundle(entry.hot ? HOT : CJS, [entry])),
]

async function bundle(options, entries) {
  const entryPoints = Object.fromEntries(entries.map(({ source, output }) => [output, source]))
  const plugins = [
    entriesByName(options === HOT),
    yamlAsModule,
    smallValidator,
    englishOnly,
    nothingSpawned,
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
