/*
 * Everything CI does, one stage after the other. A red stage does not hide the next ones; the last lines say which
 * stages were red and, alone on a line, how many tests passed and failed.
 *
 * npm run check -- check:lint test    runs only the named stages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

const REPORT = 'node_modules/.cache/steadfold/tests.json'

const TESTS = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]
/** Each is a script of package.json; the tests come last because they use the build. */
const STAGES = {
  'check:format': [],
  'check:types': [],
  'check:lint': [],
  'check:knip': [],
  build: [],
  'check:publint': [],
  'check:attw': [],
  test: TESTS,
}

function run(name) {
  const started = performance.now()
  console.log(`\n## ${name}`)
  const stdio = ['ignore', 'inherit', 'inherit']
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...STAGES[name]], { stdio })
  return { name, ok: status === 0, seconds: (performance.now() - started) / 1000 }
}

/** A file that does not even load has no failed test of its own: it counts as one. So does a run without a report. */
function counts() {
  if (!existsSync(REPORT)) return { passed: 0, failed: 1 }
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(REPORT, 'utf8'))
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  return { passed: numPassedTests, failed: numFailedTests + broken }
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in STAGES))
if (unknown.length > 0)
  throw new Error(`no such stage: ${unknown.join(', ')}; there are ${Object.keys(STAGES).join(', ')}`)

mkdirSync(dirname(REPORT), { recursive: true })
rmSync(REPORT, { force: true })
const results = Object.keys(STAGES)
  .filter((name) => asked.length === 0 || asked.includes(name))
  .map(run)
console.log()
for (const { name, ok, seconds } of results) {
  console.log(`${ok ? 'ok ' : 'RED'}  ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s`)
}
if (results.some(({ name }) => name === 'test')) {
  const { passed, failed } = counts()
  console.log(`${passed} passed, ${failed} failed`)
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
