// What every worker of the review has in common.
// W1 A worker reads REVIEW_INPUT and writes only below REVIEW_OUT/.review (the last one also REVIEW.md).
// W2 The same input gives the same bytes: no clock, no absolute path, every list sorted.
// W3 A result appears whole or not at all: written beside its place, then renamed.
// W4 What cannot be done ends with one line on stderr and exit 1 (a check failed) or 64 (bad input).
// W5 A REVIEW.md that no review has left is somebody's, and stays as it is.
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

/** Exit status of bad input; 2 is avoided because agent CLIs read it as "block". */
const BAD_INPUT = 64

export class Stop extends Error {
  constructor(message, exit = BAD_INPUT) {
    super(message)
    this.exit = exit
  }
}

/** Runs a worker: it is handed its folders and answers the named outputs to hand on. */
export function main(work) {
  void perform(work)
}

async function perform(work) {
  await Promise.resolve() // the rest of the calling module is evaluated first
  try {
    const outputs = await work(places())
    await pace()
    emit(outputs ?? {})
  } catch (error) {
    const lines = error instanceof Stop ? error.message : `${error?.code ?? 'error'}: ${error?.message ?? error}`
    process.stderr.write(`${process.argv[1]?.split('/').pop() ?? 'review'}: ${lines}\n`)
    process.exitCode = error instanceof Stop ? error.exit : 1
  }
}

function places() {
  const out = folder('REVIEW_OUT', true)
  return { input: folder('REVIEW_INPUT', false), out, work: join(out, '.review') }
}

function folder(name, create) {
  const path = process.env[name] || process.cwd()
  if (!isAbsolute(path)) throw new Stop(`${name} must be an absolute folder, not ${JSON.stringify(path)}`)
  if (create) mkdirSync(path, { recursive: true })
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) throw new Stop(`${name} is not a folder: ${JSON.stringify(path)}`)
  return realpathSync(path)
}

/** Gives a person (or a test that kills the runner) time to look; 0 unless asked. */
async function pace() {
  const wait = Number(process.env.REVIEW_PACE_MS || 0)
  if (!(wait >= 0 && wait <= 60_000)) throw new Stop('REVIEW_PACE_MS must be a number from 0 to 60000')
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
}

/** Appends outputs in the grammar of $GITHUB_OUTPUT; does nothing when nobody listens. */
function emit(outputs) {
  const file = process.env.STEADFOLD_OUTPUT
  if (!file) return
  const text = Object.entries(outputs).map(([name, value]) => outputLine(name, String(value)))
  appendFileSync(file, text.join(''))
}

function outputLine(name, value) {
  if (!/[\r\n]/.test(value)) return `${name}=${value}\n`
  const delimiter = `EOF_${createHash('sha256').update(value).digest('hex').slice(0, 16)}`
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
}

export function save(path, content) {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** Reads what an earlier step left; says which step is missing when it did not. */
export function load(path, madeBy) {
  const text = loadText(path, madeBy)
  try {
    return JSON.parse(text)
  } catch {
    throw new Stop(`${path} is not JSON: run step ${madeBy} again`)
  }
}

export function loadText(path, madeBy) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Stop(`${path} cannot be read (${error.code}): run step ${madeBy} first`)
  }
}

/** Code unit order: the same on every machine and in every locale. */
export const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
