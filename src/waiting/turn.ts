/* Waits until an agent has the turn. */
import { assertSession } from '../kernel/about-session.ts'
import { actor, amount, assertGiven, assertOptions, signal, text, type Rule } from '../kernel/arguments.ts'
import { EngineError } from '../kernel/error.ts'
import { membersOf, type Members } from '../kernel/json/members.ts'
import { accepted } from '../kernel/operation/answer.ts'
import type { Session } from '../kernel/session.ts'
import { duration } from '../kernel/text/duration.ts'
import { quoted } from '../kernel/text/shell-word.ts'
import { firstDue, search } from './change.ts'

export interface TurnRequest {
  readonly agent: string
  /** Any in which the agent sits when left out. */
  readonly channel?: string | undefined
  /** Waits no longer; Infinity when left out. */
  readonly wait_ms?: number | undefined
  readonly actor?: string | undefined
  /** Ends the waiting, with its reason. */
  readonly signal?: AbortSignal | undefined
}

export interface Turn {
  readonly channel: string
  /** Fencing token: what is posted goes with it. */
  readonly token: number
  /** When it passes on, ISO 8601; null where it does not. */
  readonly deadline: string | null
  readonly left_ms: number | null
}

const RULES: Readonly<Record<keyof TurnRequest, Rule>> = { agent: text, channel: text, wait_ms: amount, actor, signal }

/** Throws WAIT_TIMEOUT, NOT_FOUND where the agent sits nowhere, and what `signal` aborts with. */
export async function waitForTurn(session: Session, request: TurnRequest): Promise<Turn> {
  assertSession(session, 'waitForTurn')
  assertOptions('waitForTurn', request, RULES)
  assertGiven('waitForTurn', request, 'agent')
  const { agent, channel, wait_ms = Infinity, actor: by } = request
  let rows: readonly Members[] = []
  return search(session, request, {
    // Looking writes down what time has brought about, so that a turn passes on although nobody speaks.
    look: async () => {
      accepted(await session.run('turn.poll', { agent, channel }, { actor: by }))
      rows = await seatsOf(session, request)
      const mine = rows.find(({ state, token }) => state === 'ACTIVE' && typeof token === 'number')
      return mine === undefined ? undefined : turnOf(mine)
    },
    due: () => firstDue(session, '$.turns.deadlines') + 1,
    late: () => late(agent, wait_ms, rows),
  })
}

async function seatsOf(session: Session, { agent, channel }: TurnRequest): Promise<readonly Members[]> {
  const { value } = accepted(await session.run('turn.list', { agent, channel }))
  const rows = Array.isArray(value) ? value.map((row) => membersOf(row)) : []
  if (rows.length > 0) return rows
  throw new EngineError('NOT_FOUND', `"${agent}" sits in no channel${channel === undefined ? '' : ` "${channel}"`}`, {
    hint: `steadfold turn join ${quoted(channel ?? 'CHANNEL')} ${quoted(agent)}`,
  })
}

const turnOf = ({ channel, token, deadline, left_ms }: Members): Turn => ({
  channel: String(channel),
  token: Number(token),
  deadline: typeof deadline === 'string' ? deadline : null,
  left_ms: typeof left_ms === 'number' ? left_ms : null,
})

function late(agent: string, wait_ms: number, rows: readonly Members[]): EngineError {
  const where = rows.map(({ channel, state }) => `${String(state)} in ${String(channel)}`).join(', ')
  return new EngineError('WAIT_TIMEOUT', `after ${duration(wait_ms)} it is still not the turn of ${agent}: ${where}`, {
    hint: 'steadfold turn list shows who has it',
    details: { agent, timeout_ms: wait_ms },
  })
}
