/*
 * Everything CI does, one stage after the other. A red stage does not hide the next ones; the last lines say which
 * stages were red and, alone on a line, how many tests passed and failed.
 *
 * node scripts/check.mjs [stage…] runs only the named stages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'

const REPORT = 'node_modules/.cache/steadfold/tests.json'

const STAGES = {
  format: ['oxfmt', '--check', '.'],
  types: ['tsc', '-p', '.'],
  lint: ['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives'],
  knip: ['knip'],
  build: ['node', 'scripts/build.mjs'],
  publint: ['publint', '--strict'],
  attw: ['attw', '--pack', '.', '--profile', 'esm-only'],
  test: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`],
}

/** Tools are those of this repository, never ones from the machine. */
const env = { ...process.env, PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`, NO_COLOR: '1' }

function run(name) {
  const started = performance.now()
  console.log(`\n## ${name}`)
  const [command, ...rest] = STAGES[name]
  const { status } = spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env })
  return { name, ok: status === 0, seconds: (performance.now() - started) / 1000 }
}

/** A file that does not even load has no failed test of its own: it counts as one. */
function counts() {
  if (!existsSync(REPORT)) return undefined
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(REPORT, 'utf8'))
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  return { passed: numPassedTests, failed: numFailedTests + broken }
}

const asked = process.argv.slice(2)
mkdirSync('node_modules/.cache/steadfold', { recursive: true })
rmSync(REPORT, { force: true })
const results = Object.keys(STAGES)
  .filter((name) => asked.length === 0 || asked.includes(name))
  .map(run)
console.log()
for (const { name, ok, seconds } of results) {
  console.log(`${ok ? 'ok ' : 'RED'}  ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s`)
}
const tests = counts()
if (tests) console.log(`${tests.passed} passed, ${tests.failed} failed`)
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
