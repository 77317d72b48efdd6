// A process of its own for scripts/hot.mjs: runs hot commands in a fresh workspace, then asks V8 for what it has compiled.
// For `read` that is what `state get` needs: less is loaded faster.
const { readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join, resolve } = require('node:path')
const { Script } = require('node:vm')

const [dist, workspace, kind, ...names] = process.argv.slice(2)
const programs = []

// As src/main.ts does, to the letter.
function load(name) {
  const file = resolve(dist, name)
  const text = readFileSync(file, 'latin1')
  const script = new Script(text, { filename: `steadfold/${name}` })
  const module = { exports: {} }
  programs.push({ name, script, text, module })
  script.runInThisContext()(
    module.exports,
    Object.assign((wanted) => (wanted.endsWith('.cjs') ? known(wanted) : createRequire(file)(wanted)), { bring }),
    module,
    file,
    resolve(dist),
  )
  return { module }
}

const known = (wanted) => (programs.find((each) => wanted === `./${each.name}`) ?? load(wanted.slice(2))).module.exports
const bring = async (wanted) => (wanted.endsWith('.cjs') ? known(wanted) : import(resolve(dist, wanted)))

names.forEach(load)

const READS = [
  ['state', 'get', '$.data.list.n7'],
  ['state', 'get', '$.data.list.n8', '--json'],
  ['state', 'get', 'data.list.n8.n'],
]
const OTHERS = [
  ['state', 'set', '$.data.a', '{"b":[1,"c"]}'],
  ['state', 'get', 'data.a', '--json'],
  ['output', 'set', 'NAME', 'value'],
  ['output', 'get', 'NAME'],
  ['workflow', 'transition', 'research'],
  ['workflow', 'show', '--json'],
]

const HOOKS = [['hook', 'claude'], ['prime'], ['statusline']]
const TEAM = [
  ['agent', 'register', 'a', 'coder'],
  ['task', 'add', 'one', '--priority', 'high'],
  ['task', 'claim', '--any', '--as', 'agent:a'],
  ['task', 'list'],
  ['task', 'list', '--json'],
  ['lock', 'acquire', 'file'],
  ['lock', 'list'],
  ['message', 'send', 'hello', '--to', 'a'],
  ['message', 'receive', '--agent', 'a'],
  ['session', 'list', '--status', 'active'],
  ['session', 'create', 'another'],
]
const LINES = { read: READS, hook: HOOKS, team: TEAM, all: [...READS, ...OTHERS] }

const BUNDLE = join(workspace, 'rehearsal.steadfold')
const COLD = [
  ['status'],
  ['log'],
  ['step', 'list'],
  ['verify'],
  ['task', 'add', '--help'],
  ['key', 'create', 'me'],
  ['key', 'list'],
  ['bundle', 'pack', 'rehearsal', '--recipient', 'me', '--out', BUNDLE],
  ['bundle', 'verify', BUNDLE],
  ['mcp'],
]

async function rehearse() {
  const { openWorkspace } = await import(resolve(dist, 'index.js'))
  const opened = await openWorkspace({ dir: workspace })
  const session = await opened.createSession({ name: 'rehearsal' })
  // Enough for a checkpoint that is read in parts.
  const text = 'x'.repeat(1000)
  for (let n = 0; n < 150; n++) await session.run('state.set', { path: `$.data.list.n${n}`, value: { n, text } })
  await session.run('workflow.define', {})
  await session.close()
  await opened.close()
  // And commits behind it.
  const again = await openWorkspace({ dir: workspace, settings: { checkpoints: false } })
  const { state, step } = await again.session(session.id)
  for (let n = 0; n < 3; n++) await state.set({ path: '$.data.last', value: n })
  await step.gate({ key: '0'.repeat(64), name: 'step', state: 'plan', reason: 'rehearsed' })
  await again.close()
  const at = ['--dir', workspace, '--session', session.id]
  // Each command may listen for signals.
  process.setMaxListeners(0)
  if (kind === 'cold') return rehearseCold(at)
  for (const line of LINES[kind]) {
    const where = line[0] === 'session' ? at.slice(0, 2) : at
    const status = await programs[0].module.exports.runHot([...line, ...where])
    if (status !== 0) throw new Error(`${line.join(' ')} ended with ${status}`)
  }
}

async function rehearseCold(at) {
  const where = { key: [], bundle: at.slice(0, 2) }
  for (const line of COLD) {
    process.exitCode = 0
    await programs[0].module.exports.runCli([...line, ...(where[line[0]] ?? at)])
    if (process.exitCode !== 0) throw new Error(`${line.join(' ')} ended with ${process.exitCode}`)
  }
}

void rehearse().then(() => {
  for (const { name, text, script } of programs.filter((each) => names.includes(each.name))) {
    const mark = Buffer.from(text.slice(0, text.indexOf('\n') + 1), 'latin1')
    writeFileSync(join(workspace, name), Buffer.concat([mark, script.createCachedData()]))
  }
})
