// A process of its own for scripts/hot.mjs: runs hot commands in a fresh workspace, then asks V8 for what it has compiled.
const { readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join, resolve } = require('node:path')
const { Script } = require('node:vm')

const [dist, workspace, ...names] = process.argv.slice(2)
const programs = []

// As src/main.ts does, to the letter.
function load(name) {
  const file = resolve(dist, name)
  const text = readFileSync(file, 'latin1')
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
    filename: `steadfold/${name}`,
  })
  const module = { exports: {} }
  const own = (wanted) => programs.find((each) => wanted === `./${each.name}`)?.module.exports
  programs.push({ name, text, script, module })
  script.runInThisContext()(
    module.exports,
    (wanted) => own(wanted) ?? createRequire(file)(wanted),
    module,
    file,
    resolve(dist),
  )
}

names.forEach(load)

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
  const at = ['--dir', workspace, '--session', session.id]
  const quiet = ['--json']
  for (const line of [
    ['state', 'get', '$.data.list.n7'],
    ['state', 'set', '$.data.a', '{"b":[1,"c"]}'],
    ['state', 'get', 'data.a', ...quiet],
    ['state', 'get', '$.data.list.n8.n'],
    ['output', 'set', 'NAME', 'value'],
    ['output', 'get', 'NAME'],
    ['workflow', 'transition', 'research'],
    ['workflow', 'show', ...quiet],
  ]) {
    const status = await programs[0].module.exports.runHot([...line, ...at])
    if (status !== 0) throw new Error(`${line.join(' ')} ended with ${status}`)
  }
}

void rehearse().then(() => {
  for (const { name, text, script } of programs) {
    const mark = Buffer.from(text.slice(0, text.indexOf('\n') + 1), 'latin1')
    writeFileSync(join(workspace, name), Buffer.concat([mark, script.createCachedData()]))
  }
})
