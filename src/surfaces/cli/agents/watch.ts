/*
 * One run of an agent CLI, from before its process starts until why it ended is known.
 *
 *   launch ──committed──► process ──stream──► meter … ──► close, with a cause
 *
 * A1. That it begins, with its id and who watches it, is durable before the process starts.
 * A2. Why it ended: what its stream told; else that it was stopped from here; else the signal, the exit status, its last
 *     words. A stream that breaks off is a crash, whatever the status says.
 * A3. Figures are written when the CLI tells its id, at most two seconds after they changed, and at the end.
 * A4. A run that is taken up again counts on: what it used before stays.
 * A5. A form of output that its command line asks for is handed on byte for byte; what can be read in it is.
 * A6. It is over when it is gone, though what it left behind holds its pipes: they are read until they are silent.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { agentName } from '../context/actor.ts'
import type { Agent } from '../context/agent-names.ts'
import type { App } from '../context/app.ts'
import type { Context } from '../context/context.ts'
import { inForeground, type ChildStatus } from '../process/child.ts'
import { ReaderGone } from '../show/io.ts'
import { cut, plain, plainLines } from '../show/text.ts'
import type { Launch } from './launch.ts'
import { isQuota, streamReader, type EndCause, type Told } from './stream.ts'
import { usedBefore, usedNow, type Named, type Used } from './used.ts'

const EVERY_MS = 2000
const LAST_WORDS = 2000
const SILENT_MS = 5000
const LONGEST_LINE = 10_000_000

/** With what this process of it used. */
export interface Ended extends Used {
  readonly cause: EndCause | 'crashed' | 'stopped'
  readonly reason: string | null
  readonly exit: number
}

interface Seen {
  cli_session: string | undefined
  tokens: number
  cost_usd: number
  tools: number
  end: Extract<Told, { kind: 'end' }> | undefined
  lastWords: string
}

/** One that could not be started has nothing to be taken up again. */
type Watched = Ended & { readonly started: boolean }

/** Until its process is gone; `closeRun` puts on record why. */
export async function watchRun(
  context: Context<App>,
  session: Session,
  agent: Agent,
  launch: Launch,
): Promise<Watched> {
  const { run, assigned, headless, ownForm } = launch
  const of = { agent, run }
  const by = { actor: context.actor }
  const who = context.askedActor ?? agentName(agent, run)
  const begins = { ...of, who, cwd: context.cwd, assigned, process: { ...(await context.app.self()) } }
  accepted(await session.run('activity.launch', begins, by))
  const before = await usedBefore(session, of)
  const seen: Seen = { cli_session: undefined, tokens: 0, cost_usd: 0, tools: 0, end: undefined, lastWords: '' }
  const meter = metering(async () => {
    const { cli_session } = seen
    const told = cli_session === undefined || assigned ? {} : { cli_session }
    const used = await usedNow(session, { ...of, cli_session }, { before, seen })
    await session.run('activity.meter', { ...of, ...told, ...used }, by)
  })
  const { child, ended, leave } = inForeground(context, () => start(context, session, who, launch))
  // Both at once: a CLI stands still while one of its pipes is full.
  const taking = { ownForm, read: streamReader(agent), take: (told: Told) => meter.told(take(seen, told)) }
  const pipes = pipesOf(child)
  const read = headless ? reading(context, pipes.out, taking) : undefined
  const [status] = await Promise.all([ended, listening(context, pipes.err, seen), read])
  leave()
  await meter.end()
  const { tokens, cost_usd, tools } = seen
  const why = endOf(context, launch, seen, status)
  return { ...why, exit: status.exit, tokens, cost_usd, tools, started: status.failure === undefined }
}

export async function closeRun({ actor }: Context, session: Session, of: Named, ended: Ended): Promise<void> {
  const { cause, reason, exit } = ended
  const why = reason === null ? {} : { reason }
  accepted(await session.run('activity.close', { ...of, cause, ...why, exit }, { actor }))
}

function start(context: Context<App>, session: Session, who: string, { argv, headless, run }: Launch): ChildProcess {
  const [program = '', ...words] = argv
  return spawn(program, words, {
    cwd: context.cwd,
    stdio: ['inherit', headless ? 'pipe' : 'inherit', headless ? 'pipe' : 'inherit'],
    env: {
      ...context.env,
      STEADFOLD_SESSION: session.id,
      STEADFOLD_DIR: context.dir,
      STEADFOLD_RUN: run,
      STEADFOLD_ACTOR: who,
    },
  })
}

interface Pipe {
  readonly from: Readable
  readonly to: PassThrough
}

function letGo({ from, to }: Pipe): void {
  from.unpipe().destroy()
  to.end()
}

/** A6 */
function pipesOf(child: ChildProcess | undefined): { readonly out?: Readable; readonly err?: Readable } {
  if (!child?.stdout || !child.stderr) return {}
  const [out, err] = [new PassThrough(), new PassThrough()]
  const pipes: readonly Pipe[] = [
    { from: child.stdout, to: out },
    { from: child.stderr, to: err },
  ]
  for (const { from, to } of pipes) from.pipe(to)
  child.once('exit', () => {
    let isSilent = true
    for (const { from } of pipes) from.on('data', () => (isSilent = false))
    const look = () => {
      if (!isSilent || pipes.some(({ from, to }) => from.readableLength + to.readableLength > 0)) silence.refresh()
      else for (const pipe of pipes) letGo(pipe)
      isSilent = true
    }
    // Whoever reads us may have held us up: what came meanwhile is read before.
    const silence = setTimeout(() => setImmediate(look), SILENT_MS)
    child.once('close', () => clearTimeout(silence))
  })
  return { out, err }
}

interface Reading {
  readonly ownForm: boolean
  readonly read: (line: string) => readonly Told[]
  readonly take: (told: Told) => void
}

async function reading(
  context: Context,
  output: Readable | undefined,
  { ownForm, read, take }: Reading,
): Promise<void> {
  if (output === undefined) return
  // A5
  if (ownForm && !context.json) output.on('data', (bytes: Buffer) => shown(() => context.io.out(bytes)))
  for await (const line of createInterface({ input: output, crlfDelay: Infinity })) {
    if (ownForm) shown(() => context.event({ type: 'agent', kind: 'text', text: line }))
    if (line.length > LONGEST_LINE) continue
    for (const told of read(line)) {
      take(told)
      if (!ownForm) shown(() => show(context, told))
    }
  }
}

/** Where nobody reads any more, as behind `| head`, the run is watched all the same. */
function shown(print: () => void): void {
  try {
    print()
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
}

function show(context: Context, told: Told): void {
  context.event({ type: 'agent', ...told })
  if (context.json) return
  if (told.kind === 'text') context.io.out(`${plainLines(told.text)}\n`)
  if (told.kind === 'tool') context.note(context.paintFor('err').dim(cut(plain(`${told.name}  ${told.detail}`), 120)))
}

/** What it writes beside the stream goes on, and the last of it is remembered. */
async function listening(context: Context, output: Readable | undefined, seen: Seen): Promise<void> {
  if (output === undefined) return
  // A character may lie in two pieces.
  output.setEncoding('utf8')
  for await (const chunk of output) {
    const text = String(chunk)
    seen.lastWords = (seen.lastWords + text).slice(-LAST_WORDS)
    shown(() => context.io.err(plainLines(text)))
  }
}

/** Whether it is worth writing at once. */
function take(seen: Seen, told: Told): boolean {
  if (told.kind === 'session') seen.cli_session = told.id
  else if (told.kind === 'tool') seen.tools++
  else if (told.kind === 'used') Object.assign(seen, { tokens: told.tokens, cost_usd: told.cost_usd })
  else if (told.kind === 'end') seen.end = told
  return told.kind === 'session'
}

/** A2 */
function endOf(context: Context, { argv, headless, ownForm }: Launch, { end, lastWords }: Seen, status: ChildStatus) {
  const { exit, signal, failure } = status
  if (failure !== undefined)
    return { cause: 'failed', reason: `cannot run ${argv[0] ?? ''}: ${failure.code ?? failure.message}` } as const
  if (end !== undefined && end.cause !== 'finished') return { cause: end.cause, reason: end.reason }
  if (context.isStopped) return { cause: 'stopped', reason: 'stopped from outside' } as const
  if (signal !== undefined) return { cause: 'crashed', reason: `killed by ${signal}` } as const
  const words = cut(plain(lastWords.trim().split('\n').at(-1) ?? ''), 300)
  if (exit !== 0) return { cause: isQuota(lastWords) ? 'quota' : 'failed', reason: words || `exit ${exit}` } as const
  const brokeOff = headless && !ownForm && end === undefined
  return brokeOff
    ? ({ cause: 'crashed', reason: 'its stream broke off before the end' } as const)
    : ({ cause: 'finished', reason: null } as const)
}

/** A3 */
function metering(write: () => Promise<void>) {
  let last = 0
  let isDue = false
  let under: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const now = () => {
    clearTimeout(timer)
    timer = undefined
    last = Date.now()
    isDue = false
    under = under.then(write).catch(() => undefined)
  }
  return {
    told: (atOnce: boolean) => {
      isDue = true
      const since = Date.now() - last
      if (atOnce || since > EVERY_MS) now()
      // The next word may be long in coming.
      else timer ??= setTimeout(now, EVERY_MS - since)
    },
    end: async () => {
      clearTimeout(timer)
      if (isDue) now()
      await under
    },
  }
}
