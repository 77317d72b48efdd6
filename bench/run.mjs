#!/usr/bin/env node
/*
 * npm run bench [-- S1 S5 …] [--quick]
 *
 * Measures every promise of speed beside its peers, in one run, and says pass or FAIL for each.
 * Each group runs in a process of its own; see lib/slices.mjs for the method. BENCH_DIR chooses the disk.
 */
import { fork, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMemory, machine } from './lib/place.mjs'
import { isBuilt } from './lib/product.mjs'
import { table } from './lib/report.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const GROUPS = {
  's01-s02-durable.mjs': ['S1', 'S2'],
  's03-peers.mjs': ['S3'],
  's04-open.mjs': ['S4'],
  's05-state-size.mjs': ['S5'],
  's06-cli.mjs': ['S6'],
  's07-shell.mjs': ['S7'],
  's08-contention.mjs': ['S8'],
  's09-reads.mjs': ['S9'],
  's10-schedule.mjs': ['S10'],
  's11-million.mjs': ['S11'],
  's12-subscriber.mjs': ['S12'],
  's13-disk.mjs': ['S13'],
  'm01-team.mjs': ['M1'],
  'c01-conversations.mjs': ['C1', 'C2'],
  'w01-web.mjs': ['W1', 'W2'],
  'h01-hooks.mjs': ['H1'],
  'd01-drivers.mjs': ['D1', 'D2'],
}

function parseArguments(words) {
  const quick = words.includes('--quick')
  const wanted = words.filter((word) => !word.startsWith('--')).map((word) => word.toUpperCase())
  const known = Object.values(GROUPS).flat()
  const unknown = [
    ...words.filter((word) => word.startsWith('--') && word !== '--quick'),
    ...wanted.filter((id) => !known.includes(id)),
  ]
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(' ')}\nknown: ${known.join(' ')} --quick`)
    process.exit(64)
  }
  return { quick, wanted: wanted.length === 0 ? known : wanted }
}

/** The peers are no part of the product: they are installed here when they are first needed. */
function installPeers() {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'))
  if (Object.keys(dependencies).every((name) => fs.existsSync(path.join(here, 'node_modules', name, 'package.json'))))
    return
  console.error('installing the peers into bench/node_modules …')
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) process.exit(1)
}

/** Runs one group in a fresh process: a heap filled by another group would be measured too. */
function measure(file, options) {
  return new Promise((resolve) => {
    const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env
    const child = fork(path.join(here, 'lib/run-group.mjs'), [path.join(here, file), JSON.stringify(options)], {
      env,
      execArgv: ['--expose-gc', '--max-old-space-size=8192'],
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    let answer = { error: 'ended without an answer' }
    child.on('message', (message) => {
      answer = message
    })
    child.on('exit', () => resolve(answer))
  })
}

async function main() {
  const { quick, wanted } = parseArguments(process.argv.slice(2))
  if (!isBuilt()) {
    console.error('dist/ is missing: npm run build first')
    process.exit(1)
  }
  installPeers()
  if (isMemory())
    console.error('warning: this is a file system in memory, so nothing is synced; set BENCH_DIR to a folder on a disk')
  const about = machine()
  console.error(
    `node ${about.node}, ${about.cpus} × ${about.cpu}, ${about.dir}: sync p50 ${Math.round(about.sync.p50_us)} µs, load ${about.load.toFixed(2)}`,
  )
  const rows = []
  const failed = []
  for (const [file, ids] of Object.entries(GROUPS)) {
    if (!ids.some((id) => wanted.includes(id))) continue
    console.error(`${ids.join(' ')} …`)
    const { rows: found = [], error } = await measure(file, { quick })
    rows.push(...found)
    if (error !== undefined) failed.push({ ids, error })
    console.error(error === undefined ? table(found) : error)
  }
  finish({ machine: about, quick, rows, failed })
}

function finish(result) {
  const { rows, failed } = result
  const { load } = machine()
  fs.mkdirSync(path.join(here, 'results'), { recursive: true })
  fs.writeFileSync(
    path.join(here, 'results/latest.json'),
    `${JSON.stringify({ ...result, load_after: load }, null, 2)}\n`,
  )
  console.log(`\n${table(rows)}\n`)
  for (const { ids, error } of failed) console.log(`${ids.join(' ')} could not be measured: ${error}\n`)
  const missed = rows.filter((entry) => entry.pass === false)
  const kept = rows.filter((entry) => entry.pass === true).length
  console.log(
    `${kept} kept, ${missed.length} missed${missed.length === 0 ? '' : ` (${missed.map((entry) => entry.id).join(' ')})`}` +
      `${failed.length === 0 ? '' : `, ${failed.length} not measured`}${result.quick ? '; --quick: smaller inputs, fewer rounds' : ''}`,
  )
  process.exitCode = missed.length + failed.length === 0 ? 0 : 1
}

await main()
