/*
 * What the end of a worker comes to: a result, or a failure with its reason.
 *
 * G1. What it left is taken whole, or refused with the file that is wrong; whatever it left, the end can be told.
 */
import type { Artifact, Captured } from '../domain/steps/events.ts'
import { classify, FAILURE_OUTPUT, type Verdict } from '../domain/steps/failure.ts'
import { asError, EngineError } from '../kernel/error.ts'
import { keepBlob } from '../kernel/operation/texts.ts'
import { duration } from '../kernel/text/duration.ts'
import { isOutputName, parseOutputs } from '../kernel/text/output-grammar.ts'
import type { Spending } from '../kernel/work/runner.ts'
import type { Ended, Gone, Text, Written } from '../kernel/work/worker.ts'
import type { Ground } from './ground.ts'
import type { Failed, Work } from './work.ts'

const TAIL_BYTES = 2000

export interface Costs extends Spending {
  readonly stdout: Captured | null
  readonly stderr: Captured | null
}

export interface ResultReport {
  readonly kind: 'result'
  readonly exit: number
  readonly outputs: Readonly<Record<string, string>>
  readonly artifacts: readonly Artifact[]
  readonly costs: Costs
}

export interface FailureReport extends Failed {
  readonly kind: 'failure'
  readonly exit: number | null
  readonly tail: string
  readonly costs: Costs
}

const FREE: Costs = { tokens: 0, cost_usd: 0, duration_ms: 0, stdout: null, stderr: null }

/** What it wrote until then is all there is to tell by whether it had its effect, and what it cost. */
export async function lost(ground: Ground, work: Work, gone: Gone): Promise<FailureReport> {
  const { reasons, begun, unfit = false, written } = gone
  const costs = written && (await costsOf(ground, work, written, readOutputs(written, work)))
  return {
    kind: 'failure',
    class: begun ? 'unknown' : unfit ? 'terminal' : 'transient',
    reason: reasons.join('; '),
    asked: false,
    exit: null,
    interrupted: false,
    tail: written === undefined ? '' : tailOf(written),
    costs: costs ?? FREE,
  }
}

export async function judge(ground: Ground, work: Work, ended: Ended): Promise<ResultReport | FailureReport> {
  const told = readOutputs(ended, work)
  const costs = { ...(await costsOf(ground, work, ended, told)), duration_ms: ended.duration_ms }
  const failure = (verdict: Verdict, interrupted = false): FailureReport => ({
    kind: 'failure',
    ...verdict,
    exit: ended.exit,
    interrupted,
    tail: tailOf(ended),
    costs,
  })
  // Without a word, as of a variable of the shell that is empty, nothing is said.
  const said = told.special[FAILURE_OUTPUT]?.trim()
  if (ended.exit !== 0 && ended.stopped === 'interrupted')
    return failure({ class: 'transient', reason: 'interrupted', asked: false }, true)
  if (ended.exit !== 0 && ended.stopped === 'timeout')
    return failure({ class: 'timeout', reason: timedOut(work, ended), asked: false })
  if (ended.exit !== 0 || (said ?? '') !== '') return failure(withFault(classify(ended.exit, said), told.fault))
  if (told.fault !== undefined) return failure({ class: 'terminal', reason: told.fault, asked: false })
  const made = await artifactsMade(ground, work)
  if ('class' in made) return failure(made)
  return { kind: 'result', exit: 0, outputs: told.outputs, artifacts: made, costs }
}

/** Two clocks: the one of its folder may say that it took less than it was given. */
function timedOut({ timeout_ms }: Work, { duration_ms }: Ended): string {
  const after = `after ${duration(duration_ms)}`
  return timeout_ms === undefined ? `stopped ${after}` : `stopped at its timeout of ${duration(timeout_ms)}, ${after}`
}

/** But for the time it took. */
async function costsOf(ground: Ground, { name }: Work, { stdout, stderr }: Written, told: Told): Promise<Costs> {
  const warn = (what: string) => ground.deps.workspace.kernel.warn(`step ${name}: ${what}`)
  return {
    tokens: amount('tokens', told, warn),
    cost_usd: amount('cost_usd', told, warn),
    duration_ms: 0,
    stdout: await keep(ground, stdout),
    stderr: await keep(ground, stderr),
  }
}

/** It may have said more than its exit status, where it cannot be read. */
const withFault = (verdict: Verdict, fault: string | undefined): Verdict =>
  fault === undefined ? verdict : { ...verdict, reason: `${verdict.reason}; ${fault}` }

async function artifactsMade({ deps }: Ground, { artifacts }: Work): Promise<readonly Artifact[] | Verdict> {
  try {
    const { found, missing } = await deps.files.artifacts(artifacts)
    if (missing.length === 0) return found
    return { class: 'transient', reason: `it did not make ${missing.join(', ')}`, asked: false }
  } catch (error) {
    // To run it again would make the same: a person has to look.
    if (error instanceof EngineError)
      return { class: 'terminal', reason: `of its artifacts, ${error.message}`, asked: false }
    throw error
  }
}

/** The failure that a result is which the log does not take. */
export const untaken = ({ exit, costs }: ResultReport, why: string): FailureReport => ({
  kind: 'failure',
  class: 'terminal',
  reason: `its result cannot be kept: ${why}`,
  asked: false,
  exit,
  interrupted: false,
  tail: '',
  costs,
})

interface Told {
  readonly outputs: Readonly<Record<string, string>>
  readonly special: Readonly<Record<string, string | undefined>>
  /** Why the whole text is refused. */
  readonly fault: string | undefined
}

const SPECIAL: ReadonlySet<string> = new Set(['tokens', 'cost_usd', FAILURE_OUTPUT])

function readOutputs({ outputs, fault }: Written, { prefix }: Work): Told {
  if (fault !== null) return { outputs: {}, special: {}, fault }
  try {
    const all = parseOutputs(outputs)
    const bad = all.find(({ name }) => !isOutputName(`${prefix ?? ''}${name}`))
    if (bad !== undefined) throw new EngineError('OUTPUT_INVALID', `"${bad.name}" is too long a name for an output`)
    const pick = (special: boolean) =>
      Object.fromEntries(
        all.filter(({ name }) => SPECIAL.has(name) === special).map(({ name, value }) => [name, value]),
      )
    return { outputs: pick(false), special: pick(true), fault: undefined }
  } catch (error) {
    return {
      outputs: {},
      special: {},
      fault: `its outputs cannot be read: ${asError(error).message}`,
    }
  }
}

const AMOUNT = /^\s*\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

/** What was paid for is kept whatever it says of its cost, but not silently as free. */
function amount(name: string, { special: { [name]: text = '0' } }: Told, warn: (what: string) => void): number {
  const value = AMOUNT.test(text) ? Number(text) : Infinity
  if (value <= Number.MAX_SAFE_INTEGER) return value
  warn(`it says ${name}=${text.slice(0, 60)}, which is no amount: nothing is counted`)
  return 0
}

async function keep({ deps, session }: Ground, { bytes, truncated }: Text): Promise<Captured | null> {
  const kept = bytes.length === 0 ? null : await keepBlob(deps.workspace.kernel, session.id, bytes)
  return kept === null ? null : { ...kept, truncated }
}

function tailOf({ stdout, stderr }: Written): string {
  const { bytes } = stderr.bytes.length > 0 ? stderr : stdout
  return new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES))).trimEnd()
}
