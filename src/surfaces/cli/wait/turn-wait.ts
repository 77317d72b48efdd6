/* Blocks until an agent has the turn: `wait --turn`. */
import { EngineError } from '../../../kernel/error.ts'
import { membersOf, type Members } from '../../../kernel/json/members.ts'
import type { Session } from '../../../kernel/session.ts'
import { duration } from '../../../kernel/text/duration.ts'
import { quoted } from '../../../kernel/text/shell-word.ts'
import { accepted } from '../answer/answer.ts'
import type { Context } from '../context/context.ts'
import type { Result } from '../context/result.ts'
import { textAt } from '../show/view.ts'
import { changed, countdown } from './change.ts'

/** Where time moves something and no file changes, it is looked at again so often. */
const LOOK_MS = 10_000

export interface Awaited {
  readonly agent: string
  readonly channel?: string | undefined
  /** Infinity: for ever. */
  readonly timeout: number
}

/** Looking writes down what time has brought about, so that a turn passes on although nobody speaks. */
export async function waitForTurn(context: Context, session: Session, asked: Awaited): Promise<Result> {
  const { agent, channel, timeout } = asked
  const began = performance.now()
  const left = countdown(timeout)
  for (;;) {
    accepted(await session.run('turn.poll', { agent, channel }, { actor: context.actor }))
    const rows = await seatsOf(session, asked)
    const mine = rows.find(({ state, token }) => state === 'ACTIVE' && typeof token === 'number')
    if (mine !== undefined) return found(session, mine, Math.round(performance.now() - began))
    if (context.signal.aborted) return { data: { session: session.id, seq: session.seq, held: false }, text: '' }
    if (left() <= 0) throw late(asked, rows)
    await changed(context, session, Math.min(left(), LOOK_MS, nextDeadline(session) + 1 - Date.now()))
  }
}

type Row = Members

async function seatsOf(session: Session, { agent, channel }: Awaited): Promise<readonly Row[]> {
  const { value } = accepted(await session.run('turn.list', { agent, channel }))
  const rows = Array.isArray(value) ? value.map((row) => membersOf(row)) : []
  if (rows.length > 0) return rows
  throw new EngineError('NOT_FOUND', `"${agent}" sits in no channel${channel === undefined ? '' : ` "${channel}"`}`, {
    hint: `steadfold turn join ${quoted(channel ?? 'CHANNEL')} ${quoted(agent)}`,
  })
}

function found(session: Session, { channel, token, deadline, left_ms }: Row, waited_ms: number): Result {
  const data = { session: session.id, seq: session.seq, held: true, waited_ms, channel, token, deadline, left_ms }
  return { data, text: `${textAt(channel) ?? ''} ${String(token)}` }
}

function late({ agent, timeout }: Awaited, rows: readonly Row[]): EngineError {
  const where = rows.map(({ channel, state }) => `${String(state)} in ${String(channel)}`).join(', ')
  return new EngineError('WAIT_TIMEOUT', `after ${duration(timeout)} it is still not the turn of ${agent}: ${where}`, {
    hint: 'steadfold turn list shows who has it',
    details: { agent, timeout_ms: timeout },
  })
}

function nextDeadline(session: Session): number {
  const first: unknown = session.get("$.turns.deadlines.slots['0'][0]")
  return typeof first === 'number' ? first : Infinity
}
