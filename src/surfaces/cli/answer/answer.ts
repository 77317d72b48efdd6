/** What a write came to. */
import type { Event } from '../../../kernel/log/commit.ts'
import { accepted, type Answer } from '../../../kernel/operation/answer.ts'
import type { Context } from '../context/context.ts'
import type { Result } from '../context/result.ts'
import { sayEvents, stepNames } from '../show/event-text.ts'
import { cut, widthOf } from '../show/text.ts'

/** `say` puts the events into words. */
export function written(
  context: Context,
  answer: Answer,
  say: (events: readonly Event[]) => string = (events) => sayEvents(events, stepNames(context.seen)),
): Result {
  const { seq, events, value, repeated } = accepted(answer)
  const dryRun = context.options.dryRun === true && events.length > 0
  const data = { seq, events, value, ...(repeated === true ? { repeated } : {}), ...(dryRun ? { dry_run: true } : {}) }
  return {
    data,
    text: () =>
      line(context, { seq, what: say(events), dryRun, repeated: repeated === true, idle: events.length === 0 }),
  }
}

interface Said {
  readonly seq: number
  readonly what: string
  readonly dryRun: boolean
  readonly repeated: boolean
  readonly idle: boolean
}

function line({ paint, io }: Context, { seq, what, dryRun, repeated, idle }: Said): string {
  if (idle) return `nothing to do ${paint.dim(`(seq ${seq})`)}`
  const head = dryRun ? paint.yellow('would write') : `${paint.dim('seq')} ${seq}`
  const tail = repeated ? paint.dim('  (done before, with this key)') : ''
  const room = io.width - widthOf(head) - widthOf(tail) - 2
  return `${head}  ${cut(what, Math.max(20, room))}${tail}`
}
