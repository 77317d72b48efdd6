/*
 * The live queue. The terminal is never put into another mode and the cursor stays, so there is nothing to put back,
 * however this ends.
 */
import { accepted } from '../../../kernel/operation/answer.ts'
import type { Session } from '../../../kernel/session.ts'
import { changed } from '../../../waiting/change.ts'
import { headline, lines, rowsOf, type Row } from '../answer/turn-view.ts'
import type { Context } from '../context/context.ts'
import { isOn, textOf } from '../context/input.ts'
import { isAutomated } from '../show/paint.ts'
import { plain } from '../show/text.ts'
import type { Command } from '../syntax/command.ts'

const TICK_MS = 1000
/** Plain lines are written when something has changed, which time alone can do, too. */
const LOOK_MS = 10_000

interface Seen {
  readonly channels: readonly Row[]
  readonly seats: readonly Row[]
}

export const turnWatch: Command = {
  name: 'turn watch',
  summary: 'the live queue with a countdown; plain lines where there is no terminal',
  examples: ['turn watch', 'turn watch room', 'turn watch --once', 'turn watch --json'],
  parameters: [{ name: 'CHANNEL', field: 'channel', type: 'text', required: false, summary: 'only this one' }],
  flags: [{ name: 'once', field: 'once', type: 'boolean', summary: 'show it as it is now, and end' }],
  shares: ['session'],
  streams: true,
  run: async (context, input) => {
    const session = await context.session('read')
    const channel = textOf(input, 'channel')
    if (!isOn(input, 'once')) await watch(context, session, channel)
    const now = await look(session, channel)
    const text = () => lines(context, now.channels, now.seats).join('\n') || 'there is no channel'
    return { data: now, text: isOn(input, 'once') ? text : '' }
  },
}

async function watch(context: Context, session: Session, channel: string | undefined): Promise<void> {
  const live =
    !context.json && context.io.isTerminal('out') && !isAutomated(context.env) && context.env['TERM'] !== 'dumb'
  const show = live ? drawing(context) : telling(context)
  while (!context.signal.aborted) {
    show(await look(session, channel))
    await changed(session, wakeIn(session, live ? TICK_MS : LOOK_MS), context.signal)
  }
}

async function look(session: Session, channel: string | undefined): Promise<Seen> {
  const channels = rowsOf(accepted(await session.run('channel.list', {})).value)
  const seats = rowsOf(accepted(await session.run('turn.list', { channel })).value)
  return { channels: channels.filter((row) => channel === undefined || row['channel'] === channel), seats }
}

/** Each picture is drawn over the one before. */
function drawing(context: Context): (seen: Seen) => void {
  let height = 0
  return ({ channels, seats }) => {
    const picture = lines(context, channels, seats)
    const up = height === 0 ? '' : `\x1b[${height}A\r\x1b[0J`
    context.io.out(`${up}${picture.map((line) => `${line}\n`).join('')}`)
    height = picture.length
  }
}

/** One line for each channel in which something is different. */
function telling(context: Context): (seen: Seen) => void {
  const told = new Map<unknown, string>()
  return ({ channels }) => {
    for (const row of channels) {
      const { channel, active, queue, held, turns } = row
      const state = JSON.stringify([active, queue, held, turns])
      if (told.get(channel) === state) continue
      told.set(channel, state)
      const at = new Date().toISOString()
      if (context.json) context.event({ type: 'channel', at, ...row })
      else context.io.out(`${at}  ${plain(String(channel))}  ${headline(row)}\n`)
    }
  }
}

/** What is over, but not on record, was shown as such. */
function wakeIn(session: Session, most: number): number {
  const now = session.now()
  const first: unknown = session.get("$.turns.deadlines.slots['0'][0]")
  return typeof first === 'number' && first >= now ? Math.min(most, first + 1 - now) : most
}
