/*
 * A run while it goes on: one line an event on stderr; on a terminal also a last line that says how far it is.
 */
import { duration } from '../../../kernel/text/duration.ts'
import type { Resumed, RunEvent, RunResult } from '../../../kernel/work/runner.ts'
import type { Context } from '../context/context.ts'
import { asText } from '../show/as-text.ts'
import type { Outlet } from '../show/aside.ts'
import { isAutomated, type Paint } from '../show/paint.ts'
import { sizeOf } from '../show/screen.ts'
import { count, cut, dollars, padEnd, plain, plainLines, thousands } from '../show/text.ts'
import { isWhole, WholeLines } from '../show/whole-lines.ts'

const CLEAR = '\r\x1b[K'
const NAME_WIDTH = 24

export class RunView {
  readonly #context: Context
  readonly #paint: Paint
  readonly #live: boolean
  #shown = false
  #bar = ''
  readonly #running = new Set<string>()
  readonly #written = new WholeLines()
  readonly #outlet: Pick<Outlet, 'hasRoom'>
  #unsaid = 0

  constructor(context: Context, outlet: Pick<Outlet, 'hasRoom'> = { hasRoom: true }) {
    this.#context = context
    this.#outlet = outlet
    this.#paint = context.paintFor('err')
    this.#live = context.io.isTerminal('err') && !isAutomated(context.env) && context.env['TERM'] !== 'dumb'
  }

  /** Never throws: a run must not stop because nobody reads. */
  readonly tell = (event: RunEvent): void => {
    try {
      if (event.type === 'step-output' && !this.#outlet.hasRoom) this.#unsaid += event.bytes.length
      else for (const each of [...this.#ofUnsaid(), ...this.#inLines(event)]) this.#tell(each)
    } catch {
      // The reader is gone.
    }
  }

  #tell(event: RunEvent): void {
    if (this.#context.json) this.#context.event(eventData(event))
    else this.#say(event)
  }

  /** What steps write is kept beside them; it is left out here where nobody has read so much. */
  #ofUnsaid(): readonly RunEvent[] {
    if (this.#unsaid === 0 || !this.#outlet.hasRoom) return []
    const message = `${thousands(this.#unsaid)} bytes that steps wrote are not shown: nobody read`
    this.#unsaid = 0
    return [{ type: 'warning', message }]
  }

  end(): void {
    if (this.#shown) this.#context.io.err(CLEAR)
    this.#shown = false
  }

  /** What a step writes, line by line; the last may lack its end. */
  #inLines(event: RunEvent): readonly RunEvent[] {
    if (event.type === 'step-output') {
      const bytes = this.#written.add(`${event.step} ${event.stream}`, event.bytes)
      return bytes.length === 0 ? [] : [{ ...event, bytes }]
    }
    if (event.type !== 'step-finished' && event.type !== 'step-failed') return [event]
    const { step, state } = event
    const rest = (['stdout', 'stderr'] as const).flatMap((stream) => {
      const bytes = this.#written.rest(`${step} ${stream}`)
      return bytes.length === 0 ? [] : [{ type: 'step-output' as const, step, state, stream, bytes }]
    })
    return [...rest, event]
  }

  #say(event: RunEvent): void {
    if (event.type === 'step-output') return this.#output(event.bytes)
    if (event.type === 'step-started' || event.type === 'step-adopted') this.#running.add(event.step)
    else if ('step' in event && event.type !== 'step-stopping') this.#running.delete(event.step)
    if (event.type === 'progress') this.#bar = this.#progress(event)
    else this.#lines(linesOf(event, this.#paint, this.#context.now()))
    if (this.#live && this.#bar !== '') {
      this.#context.io.err(
        `${CLEAR}${cut([this.#bar, ...[...this.#running].map(plain)].join('  '), sizeOf(process.stderr).columns - 1)}`,
      )
      this.#shown = true
    }
  }

  #lines(lines: readonly string[]): void {
    if (lines.length === 0) return
    this.end()
    this.#context.io.err(`${lines.join('\n')}\n`)
  }

  #output(bytes: Uint8Array): void {
    this.end()
    this.#context.io.err(bytes)
    if (!isWhole(bytes)) this.#context.io.err('\n')
  }

  #progress({ state, done, running, failed, total, left_ms }: Extract<RunEvent, { type: 'progress' }>): string {
    const parts = [
      `${done}/${total} steps`,
      running > 0 ? `${running} running` : '',
      failed > 0 ? `${failed} failed` : '',
      left_ms === null ? '' : `about ${duration(left_ms)} left`,
    ]
    return `${plain(state)}  ${parts.filter((part) => part !== '').join('  ')}`
  }
}

/** Bytes are text in JSON, as far as they are. */
function eventData(event: RunEvent): Readonly<Record<string, unknown>> {
  if (event.type !== 'step-output') return { ...event }
  const { bytes, ...rest } = event
  return { ...rest, ...asText('text', bytes) }
}

function linesOf(event: RunEvent, paint: Paint, now: number): readonly string[] {
  switch (event.type) {
    case 'run-started':
      return event.resumed === null
        ? [
            `${paint.bold(plain(event.session.name))}  ${paint.dim(event.session.id)}`,
            ...(event.again ? ['it was finished: it begins anew, and takes what has not changed from before'] : []),
          ]
        : resumedLines(event.session.name, event.resumed, paint)
    case 'state-entered':
      return [`${paint.bold(plain(event.state))}  ${paint.dim(stateText(event))}`]
    case 'waiting':
      return [
        line(
          paint.yellow('waiting'),
          Number.isFinite(event.until) ? duration(event.until - now) : '',
          plain(event.reason),
        ),
        ...(event.next === null ? [] : [`           ${paint.dim(`at once: ${plain(event.next)}`)}`]),
      ]
    case 'warning':
      return [`${paint.yellow('warning:')} ${plain(event.message)}`]
    case 'state-left':
    case 'progress':
      return []
    default:
      return stepLines(event, paint)
  }
}

function stepLines(event: Extract<RunEvent, { step: string }>, paint: Paint): readonly string[] {
  switch (event.type) {
    case 'step-adopted':
      return [line(paint.cyan('adopted'), event.step, `pid ${event.pid} still runs; waiting for it`)]
    case 'step-finished':
      return [line(paint.green('ok'), event.step, spentText(event))]
    case 'step-reused':
      return [line(paint.dim('reused'), event.step, `${spentText(event)} not spent again`)]
    case 'step-failed':
      return failedLines(event, paint)
    case 'step-parked':
      return [line(paint.yellow('parked'), event.step, plain(event.reason)), `           ${paint.dim(event.next)}`]
    case 'step-skipped':
      return [line(paint.dim('skipped'), event.step, plain(event.reason))]
    case 'step-stopping':
      return [line(paint.yellow('stopping'), event.step, `${event.signal}: ${plain(event.reason)}`)]
    case 'step-started':
      return [line(paint.dim('started'), event.step, event.attempt === 1 ? '' : `attempt ${event.attempt}`)]
    case 'step-output':
      return []
  }
}

const line = (word: string, step: string, rest: string): string =>
  `  ${padEnd(word, 8)} ${padEnd(plain(step), NAME_WIDTH)} ${rest}`.trimEnd()

function stateText({ mode, waves }: Extract<RunEvent, { type: 'state-entered' }>): string {
  const steps = waves.flat().length
  if (steps === 0) return 'no steps'
  return mode === 'parallel'
    ? count(steps, 'step')
    : `${count(steps, 'step')} in ${count(waves.length, mode === 'waves' ? 'wave' : 'stage')}`
}

function failedLines(
  { step, class: kind, reason, exit, retry_ms, breaker, tail }: Extract<RunEvent, { type: 'step-failed' }>,
  paint: Paint,
): readonly string[] {
  const when = retry_ms === null ? '' : retry_ms === 0 ? '; again now' : `; again in ${duration(retry_ms)}`
  const again = breaker === null ? when : `${when}, since "${plain(breaker)}" failed too often in a row`
  const head = line(
    paint.red('failed'),
    step,
    `${plain(reason)}${exit === null || reason.includes(String(exit)) ? '' : ` (exit ${exit})`}, ${kind}${again}`,
  )
  const said = plainLines(tail)
    .trimEnd()
    .split('\n')
    .filter((text) => text !== '')
    .slice(-5)
  return [head, ...said.map((text) => `           ${paint.dim(text)}`)]
}

export function spentText({
  duration_ms,
  tokens,
  cost_usd,
}: {
  readonly duration_ms: number
  readonly tokens: number
  readonly cost_usd: number
}): string {
  return [duration(duration_ms), tokens > 0 ? `${thousands(tokens)} tokens` : '', dollars(cost_usd)]
    .filter((part) => part !== '')
    .join(', ')
}

/** `resumed build-auth at seq 812: 9 steps kept, 3 to run (1 was unknown: runs again)` and what that saved. */
function resumedLines(name: string, resumed: Resumed, paint: Paint): readonly string[] {
  const { seq, kept, to_run, unknown, recorded, adopted, saved } = resumed
  const again = unknown.filter(({ action }) => action === 'runs again').length
  const notes = [
    again > 0 ? `${again} was unknown: runs again, declared repeatable` : '',
    unknown.length > again ? `${unknown.length - again} unknown: parked for you` : '',
    recorded.length > 0 ? `${recorded.length} had ended while nobody looked` : '',
    adopted.length > 0 ? `${adopted.length} still running` : '',
  ].filter((note) => note !== '')
  const head = `${paint.bold('resumed')} ${plain(name)} at seq ${thousands(seq)}: ${count(kept.length, 'step')} kept, ${to_run.length} to run${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
  return kept.length === 0 ? [head] : [head, `${savedText(saved)} not spent again`]
}

function savedText({
  tokens,
  cost_usd,
  duration_ms,
}: {
  readonly tokens: number
  readonly cost_usd: number
  readonly duration_ms: number
}): string {
  return [tokens > 0 ? `${thousands(tokens)} tokens` : '', dollars(cost_usd), duration(duration_ms)]
    .filter((part) => part !== '')
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')
}

/** `took`: milliseconds from its beginning to its end; the steps may have worked at the same time, or waited in between. */
export function resultText(
  { workflow, status, steps, spent, saved, seq, session, state }: RunResult,
  took: number,
  paint: Paint,
): string {
  const dye = {
    completed: paint.green,
    partial: paint.yellow,
    failed: paint.red,
    'needs-person': paint.yellow,
    interrupted: paint.yellow,
  }[status]
  const counts = [
    `${count(steps.ran.length, 'step')} run`,
    steps.reused.length > 0 ? `${steps.reused.length} reused` : '',
    steps.failed.length > 0 ? `${steps.failed.length} failed` : '',
    steps.parked.length > 0 ? `${steps.parked.length} parked` : '',
    steps.skipped.length > 0 ? `${steps.skipped.length} skipped` : '',
  ].filter((part) => part !== '')
  const kept = saved.duration_ms > 0 ? [paint.dim(`  ${savedText(saved)} not spent again`)] : []
  const where = status === 'completed' ? '' : `  in ${plain(state)}`
  const named = session.name === workflow ? '' : `  ${plain(session.name)}`
  return [
    `${paint.bold(plain(workflow))}  ${dye(status)}${where}  ${paint.dim(`seq ${thousands(seq)}${named}`)}`,
    `  ${counts.join(', ')}  in ${duration(took)}${spent.duration_ms > 0 ? `; their work: ${spentText(spent)}` : ''}`,
    ...kept,
  ].join('\n')
}
