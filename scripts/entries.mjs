/*
 * The programs of the package, in dist/.
 *
 *   index.js, types/        the library: ESM, dependencies bundled, declarations self-contained
 *   langgraph.js, …         adapters for the frameworks of others: `steadfold/langgraph`
 *   steadfold-worker.js     the thread that writes checkpoints
 *   steadfold-reader.js     the thread that reads a long log ahead
 *   jsonpath.js             the parser of queries, which few commands need
 *   tokens.js               the tables of an encoding of tokens, which one command needs
 *   sqlite.js               SQLite as WebAssembly, for the command that asks in SQL
 *   nostr.js                checks and makes signatures, when there is something signed
 *   vault.js                bundles, keys and places, for the commands that move sessions
 *   opencode.js             what the plugin of opencode loads, in its process
 *   mcp.js, daemon.js, …    what only a few commands need, and the others would load with everything else
 *   mcp.cjs, vault.cjs, …   the same for the binary, which has most of it already in a form of its own
 *   *.sh, *.bash, *.zsh     programs for shells, as they are: the library, completion, the process beside a step's command
 *   steadfold.cjs           the binary: small CommonJS, the only one that Node itself loads; it loads the next, on use
 *   hot.cjs, hook.cjs,      the hot commands in one file; what agent CLIs call while they work in another;
 *   team.cjs                what agents share: tasks, locks, messages
 *   cli.cjs                 all commands
 *   hot-<module>.cjs        operations, with the schemas that only writes need; the intake of facts
 *   hot-zod.cjs             zod for them, where what is asked is not plainly right
 *   compiled/<V8>/          some of them as V8 has compiled them; see hot.mjs
 *   web/                    the pages that the daemon serves; see web.mjs
 */
import { readFileSync } from 'node:fs'
import { LAZY } from './lazy-modules.mjs'

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
export const ADAPTERS = ['langgraph', 'claude-agent-sdk', 'openai-agents']

/** Source, output and format of every program in the package. `small`: C1 of core.mjs; `alone`: shares no chunk with others; `both`: the binary has it in a form of its own. */
export const ENTRIES = [
  { source: 'src/index.ts', output: 'index', format: 'esm' },
  ...ADAPTERS.map((name) => ({ source: `src/adapters/${name}/${name}.ts`, output: name, format: 'esm' })),
  { source: 'src/worker-main.ts', output: 'steadfold-worker', format: 'esm' },
  { source: 'src/reader-main.ts', output: 'steadfold-reader', format: 'esm', alone: true },
  { source: 'src/drivers/jsonpath/jsonpath.ts', output: 'jsonpath', format: 'esm', small: true, both: true },
  { source: 'src/drivers/project/typescript.ts', output: 'typescript', format: 'esm', small: true },
  { source: 'src/drivers/tokens/tokens.ts', output: 'tokens', format: 'esm', alone: true },
  { source: 'src/drivers/sqlite/sqlite.ts', output: 'sqlite', format: 'esm', small: true },
  { source: 'src/drivers/nostr/nostr.ts', output: 'nostr', format: 'esm', small: true, both: true },
  { source: 'src/compose/vault.ts', output: 'vault', format: 'esm', both: true },
  { source: 'src/mcp.ts', output: 'mcp', format: 'esm', both: true },
  { source: 'src/surfaces/http/daemon.ts', output: 'daemon', format: 'esm', both: true },
  { source: 'src/surfaces/cli/agents/opencode-plugin.ts', output: 'opencode', format: 'esm', small: true },
  { source: 'src/drivers/relay/relays.ts', output: 'relays', format: 'esm', small: true, both: true },
  { source: 'src/drivers/project/workflow-file.ts', output: 'workflow-file', format: 'esm', small: true, both: true },
  { source: 'src/cli-main.ts', output: 'cli', format: 'cjs' },
  { source: 'src/hot-main.ts', output: 'hot', format: 'cjs', hot: true },
  { source: 'src/hook-main.ts', output: 'hook', format: 'cjs', hot: true },
  { source: 'src/team-main.ts', output: 'team', format: 'cjs', hot: true },
  { source: 'src/glance.ts', output: 'hot-glance', format: 'cjs', hot: true },
  { source: 'src/drivers/files/intake.ts', output: 'hot-intake', format: 'cjs', hot: true },
  { source: 'src/compose/sweepers.ts', output: 'hot-sweepers', format: 'cjs', hot: true },
  { source: 'src/drivers/files/ahead.ts', output: 'hot-ahead', format: 'cjs', hot: true },
  { source: 'src/drivers/files/attic.ts', output: 'hot-attic', format: 'cjs', hot: true },
  { source: 'src/drivers/files/archive.ts', output: 'hot-archive', format: 'cjs', hot: true },
  { source: 'src/drivers/files/redo-file.ts', output: 'hot-redo-file', format: 'cjs', hot: true },
  { source: 'src/drivers/files/redo-pass.ts', output: 'hot-redo-pass', format: 'cjs', hot: true },
  { source: 'src/drivers/files/repair.ts', output: 'hot-repair', format: 'cjs', hot: true },
  { source: 'src/drivers/zod/zod.ts', output: 'hot-zod', format: 'cjs', hot: true },
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
].flatMap(({ both, ...entry }) => (both ? [entry, { ...entry, format: 'cjs' }] : [entry]))

export const BINARY = 'steadfold.cjs'
export const outputName = ({ output, format }) => `${output}.${format === 'cjs' ? 'cjs' : 'js'}`
