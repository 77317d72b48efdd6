/*
 * What makes the hot programs start fast.
 *
 * H1  Modules of Node are used as they are: the copies that a bundler makes of them cost more than the commands.
 *     What is slow to load is loaded where it is used: most commands end before.
 * H2  Some are shipped with V8's own compiled form of them, for the Node that built it. Both begin with the same mark; any
 *     other Node, or a file that was changed, compiles the source as always.
 * H3  What V8 takes from such a form cannot import: it asks the program that loaded it to.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'

const COPIED = /(\b[\w$]+) = __toESM\(require\(("node:[a-z_/]+")\)(?:, 1)?\)/g

/** One line each in what the bundler makes: under a name that it made up, or one that nothing else has. */
const SLOW =
  /^ *(?:var )?(import_node_\w+|[\w$]+(?= = require\("node:(?:crypto|timers|url))) = (require\("node:(?:assert|child_process|crypto|https?|http2|net|readline|timers\/promises|tls|url|zlib)"\));\n/gm
/** Where a file is loaded by a function, its names are declared before that. */
const DECLARED = /^var [\w$]+(?:, [\w$]+)*;$/

/** H1: the text of an unminified CommonJS program, made small. */
export async function sharpened(text, target) {
  // What the copy has as its default is the module itself.
  const direct = text.replaceAll(COPIED, '$1 = require($2)').replaceAll(/\b(import_node_\w+)\.default\b/g, '$1')
  const { code } = await transform(late(direct), { minify: true, format: 'cjs', target })
  return importing(code)
}

function late(text) {
  const slow = new Map([...text.matchAll(SLOW)].map(([, name, load]) => [name, load]))
  if (slow.size === 0) return text
  const names = new RegExp(`\\b(?:${[...slow.keys()].join('|').replaceAll('$', '\\$')})\\b`, 'g')
  const lines = text.replaceAll(SLOW, '').split('\n')
  return lines.map((line) => (DECLARED.test(line) ? line : line.replaceAll(names, (name) => slow.get(name)))).join('\n')
}

/** H3 */
function importing(code) {
  const asking = code.replaceAll(/\bimport\("/g, '__bring("')
  return asking === code ? code : `const __bring=require.bring??(name=>import(name));${asking}`
}

/** H2: the mark; 24 bytes, for V8 copies what follows it where that is not aligned. */
const marked = (text) => `//${createHash('sha256').update(text).digest('hex').slice(0, 21)}\n${text}`

/** What src/main.ts loads: the text of a CommonJS program in the function that Node puts around it. */
export const wrapped = (text) => marked(`(function(exports,require,module,__filename,__dirname){${text}\n})`)

const FOLDER = `compiled/${process.versions.v8}-${process.platform}-${process.arch}`

/** Programs that are shipped compiled, too: what the commands of every hour need. */
const HOT = ['hot.cjs', 'hot-data.cjs', 'hot-outputs.cjs', 'hot-workflow.cjs', 'hot-module-steps.cjs']
/** And what every event of an agent CLI, and its status line, may start. */
const HOOK = ['hook.cjs', 'hot-activity.cjs', 'hot-module-activity.cjs', 'hot-glance.cjs']
/** And what teams of agents ask all day. */
const SHARED = ['tasks', 'agents', 'locks', 'messages']
const TEAM = ['team.cjs', ...SHARED.flatMap((name) => [`hot-${name}.cjs`, `hot-module-${name}.cjs`])]
/** And what begins a session. */
const BEGIN = ['', '-configure', '-sweep'].map((list) => `hot-session${list}.cjs`)
const BEGUN = [...BEGIN, 'hot-sweepers.cjs', 'hot-module-supervision.cjs', 'hot-module-turns.cjs']
/** And what else the full program loads. */
const PARTS = ['vault', 'mcp', 'daemon', 'nostr', 'relays', 'workflow-file', 'jsonpath']
const COLD = ['cli.cjs', ...PARTS.map((name) => `${name}.cjs`)]

/** H2: compiled while they do what they will do most, so that the functions they need are in it. Names below dist/, and bytes. */
export const compiled = (dist) => [
  ...[
    ...rehearsed(dist, 'cold', COLD),
    ...rehearsed(dist, 'hook', HOOK),
    ...rehearsed(dist, 'team', [...TEAM, ...BEGUN]),
    ...rehearsed(dist, 'all', HOT),
  ].map(([name, bytes]) => [`${FOLDER}/${name}.cache`, bytes]),
  ...rehearsed(dist, 'read', ['hot.cjs']).map(([name, bytes]) => [`${FOLDER}/${name}.read.cache`, bytes]),
]

/** On the stdin of a hook. */
const EVENT = JSON.stringify({
  session_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  hook_event_name: 'PostToolUse',
  tool_name: 'Read',
  tool_input: { file_path: '/work/app/a.ts' },
  tool_response: { content: 'text' },
})
/** And of the MCP server. */
const ASKED = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'rehearsal', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
const INPUT = { hook: EVENT, cold: ASKED.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('') }

function rehearsed(dist, kind, names) {
  const workspace = mkdtempSync(join(tmpdir(), 'steadfold-build-'))
  try {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/hot-cache.cjs', dist, workspace, kind, ...names], {
      encoding: 'utf8',
      env: { ...process.env, STEADFOLD_HOME: workspace },
      input: INPUT[kind],
    })
    if (status !== 0) throw new Error(`${names.join(', ')} cannot be compiled ahead: ${stderr}`)
    return names.map((name) => [name, readFileSync(join(workspace, name))])
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}
