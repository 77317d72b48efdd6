/*
 * The main job in under a minute, on real input: a review with real worker processes, whose runner is killed in the
 * middle and goes on.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { verifySession } from '../../../kernel/care/verify.ts'
import { EngineError } from '../../../kernel/error.ts'
import { duration } from '../../../kernel/text/duration.ts'
import type { RunEvent, RunResult } from '../../../kernel/work/runner.ts'
import { RunView, spentText } from '../answer/run-view.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { textOf, type Input } from '../context/input.ts'
import { FOLDER, quoted } from '../context/scope.ts'
import { count } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'
import { readFile } from '../syntax/value.ts'

/** Steps that must be finished when the runner is killed: past research and plan, in the midst of the report. */
const KILL_AFTER = 7
/** Ends every report that the review leaves; see examples/review/document.mjs. */
const END = 'The same tree gives the same report, byte for byte.\n'
/** Each worker takes at least this long, so that there is something to see and to kill. */
const PACE_MS = 400

export const demo: Command<App> = {
  name: 'demo',
  summary: 'review a source tree, kill the runner in the middle, and go on',
  examples: ['demo', 'demo --input ~/src/app'],
  notes: 'Takes under a minute, no key, no network. Leaves REVIEW.md and a session to look at.',
  parameters: [],
  flags: [
    {
      name: 'input',
      field: 'input',
      type: 'text',
      value: 'DIR',
      summary: 'the tree to review; this folder when left out',
    },
  ],
  shares: [],
  streams: true,
  run: async (context, input) => {
    const place = await prepare(context, input)
    say(context, `1  Reviewing ${place.input} with real worker processes`)
    const first = await runOnce(context, place, KILL_AFTER)
    if (!first.killed)
      throw new EngineError('UNEXPECTED', `the run ended before it could be killed: ${first.said}`, {
        hint: `steadfold run ${place.workflow} --session ${place.name}`,
      })
    say(
      context,
      `2  Killed the runner (pid ${first.pid}) with SIGKILL after ${count(first.finished, 'step')}. Starting it again`,
    )
    const second = await runOnce(context, place)
    const result = second.result ?? fail(place, second.said)
    if (result.status !== 'completed')
      throw new EngineError(result.code ?? 'STEP_FAILED', result.message, { hint: result.hint ?? 'steadfold status' })
    return report(context, place, { ...result, killedAt: first.finished })
  },
}

interface Place {
  readonly dir: string
  readonly input: string
  readonly workflow: string
  readonly name: string
  readonly id: string
}

const say = (context: Context, text: string): void => context.note(`\n${context.paintFor('err').bold(text)}`)

async function prepare(context: Context<App>, input: Input): Promise<Place> {
  const given = path.resolve(context.cwd, context.namedDir ?? '.')
  const dir = path.basename(given) === FOLDER ? path.dirname(given) : given
  const tree = path.resolve(context.cwd, textOf(input, 'input') ?? '.')
  if (!fs.existsSync(tree) || !fs.statSync(tree).isDirectory())
    throw new EngineError('FILE_NOT_FOUND', `there is no folder ${tree}`, { hint: 'steadfold demo --input DIR' })
  assertNoneOfYours(reviewIn(dir), tree)
  const workspace = await context.app.openWorkspace({ dir, create: true })
  try {
    const names = new Set<unknown>()
    for await (const session of workspace.sessions()) names.add(session.get('$.session.name'))
    const name = freeName(names)
    const session = await workspace.createSession({ name, goal: `Review ${tree}`, actor: context.actor })
    return { dir, input: tree, workflow: path.join(context.app.examples, 'review.workflow.yaml'), name, id: session.id }
  } finally {
    await workspace.close()
  }
}

const reviewIn = (dir: string): string => path.join(dir, 'REVIEW.md')

/** A report from before is replaced; any other file of that name is somebody's. */
function assertNoneOfYours(review: string, tree: string): void {
  const stat = fs.lstatSync(review, { throwIfNoEntry: false })
  if (stat === undefined || (stat.isFile() && readFile(review).toString('utf8').endsWith(END))) return
  throw new EngineError('NAME_TAKEN', `${review} is there already, and no demo has left it`, {
    hint: `move it away, or let the report go elsewhere: steadfold demo --dir DIR --input ${quoted(tree)}`,
  })
}

function freeName(names: ReadonlySet<unknown>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'demo' : `demo-${n}`
    if (!names.has(name)) return name
  }
}

interface Run {
  readonly pid: number
  readonly killed: boolean
  readonly finished: number
  readonly result: RunResult | undefined
  /** What it wrote on stderr. */
  readonly said: string
}

/** `steadfold run` as a process of its own; killed, as `kill -9` would, when that many steps are finished. */
async function runOnce(context: Context<App>, place: Place, killAfter = Infinity): Promise<Run> {
  const child = startRun(context, place)
  const view = new RunView(context)
  const stop = () => child.kill('SIGTERM')
  context.signal.addEventListener('abort', stop)
  let finished = 0
  let result: RunResult | undefined
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_code, signal) => resolve(signal)))
  for await (const line of linesOf(child)) {
    const event = parsed(line)
    if (event?.type === 'result') result = event.data
    else if (event !== undefined && finished < killAfter) {
      view.tell(event)
      if (event.type === 'step-finished' && ++finished >= killAfter) child.kill('SIGKILL')
    }
  }
  const signal = await ended
  view.end()
  context.signal.removeEventListener('abort', stop)
  return { pid: child.pid ?? 0, killed: signal === 'SIGKILL', finished, result, said: said.trim() }
}

function startRun({ app, env }: Context<App>, { dir, input, workflow, id }: Place): ChildProcess {
  const args = [app.program, 'run', workflow, '--session', id, '--dir', dir, '--json']
  const paced = { REVIEW_INPUT: input, REVIEW_OUT: dir, REVIEW_PACE_MS: env['REVIEW_PACE_MS'] ?? String(PACE_MS) }
  return spawn(process.execPath, args, { cwd: dir, env: { ...env, ...paced }, stdio: ['ignore', 'pipe', 'pipe'] })
}

const linesOf = ({ stdout }: ChildProcess): AsyncIterable<string> => createInterface({ input: stdout ?? process.stdin })

type Line = RunEvent | { readonly type: 'result'; readonly data: RunResult }

/** The last line of a killed process may be cut short. */
function parsed(line: string): Line | undefined {
  try {
    // Lines of our own program, which writes RunEvents and one result.
    const value = JSON.parse(line) as Line & { readonly error?: { readonly message: string } }
    return value.error === undefined ? value : undefined
  } catch {
    return undefined
  }
}

function fail({ name }: Place, said: string): never {
  throw new EngineError('UNEXPECTED', `the second run came to no end: ${said}`, {
    hint: `steadfold status --session ${name}`,
  })
}

async function report(context: Context<App>, place: Place, result: RunResult & { readonly killedAt: number }) {
  const workspace = await context.app.openWorkspace({ dir: place.dir, create: false })
  const verified = await verifySession(workspace.kernel, place.id)
  await workspace.close()
  const review = reviewIn(place.dir)
  const kept = result.resumed?.kept.length ?? 0
  const data = {
    session: result.session,
    seq: result.seq,
    killed_after: result.killedAt,
    kept,
    ran: result.steps.ran.length,
    saved: result.saved,
    spent: result.spent,
    review,
    verified: verified.ok,
  }
  const { paint } = context
  const s = `--session ${quoted(place.name)}`
  const tries = [
    `cat ${quoted(path.relative(context.cwd, review) || review)}`,
    `steadfold status --all`,
    `steadfold step list ${s}`,
    `steadfold log ${s} -n 20`,
    `steadfold diff 1 @ ${s} --path workflow`,
    `steadfold blame workflow.current ${s}`,
    `steadfold verify ${s}`,
  ]
  const text = () =>
    [
      '',
      `${paint.green('done')}  ${count(kept, 'step')} kept and not paid again (${spentText(result.saved)} of work), ${count(result.steps.ran.length, 'step')} run after the kill in ${duration(result.spent.duration_ms)} of work`,
      `      ${verified.ok ? `${count(verified.seq, 'commit')}, chain ok` : paint.red('the chain is BROKEN')}; the review is in ${review}`,
      '',
      'Try next:',
      ...tries.map((line) => `  ${line}`),
    ].join('\n')
  return { data, text, ...(verified.ok ? {} : { exit: 9 }) }
}
