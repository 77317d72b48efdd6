/** Waits until something is so. */
import { EngineError } from '../../../kernel/error.ts'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Session } from '../../../kernel/session.ts'
import { duration } from '../../../kernel/text/duration.ts'
import { waitForTurn, type Turn } from '../../../waiting/turn.ts'
import { isOn, numberOf, textOf, usage, wholeOf, type Input } from '../context/input.ts'
import type { Result } from '../context/result.ts'
import { nameOf, quoted, statusOf } from '../context/scope.ts'
import { unlessStopped } from '../process/stopped.ts'
import { brief } from '../show/text.ts'
import { stepsOf } from '../show/view.ts'
import type { Command } from '../syntax/command.ts'
import { toValue } from '../syntax/value.ts'

interface Condition {
  readonly what: string
  readonly holds: (session: Session) => boolean | Promise<boolean>
}

/** No timer holds more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const wait: Command = {
  name: 'wait',
  summary: 'wait until something is so; exit 7 when late, 4 when it cannot be',
  examples: [
    'wait --step lint --timeout 10m',
    'wait --path data.ready --equals true',
    'wait --seq 1842',
    'wait --ended --session build-auth',
    'wait --turn dev --timeout 10m',
  ],
  parameters: [],
  flags: [
    { name: 'seq', field: 'seq', type: 'number', value: 'N', summary: 'until commit N is there' },
    { name: 'path', field: 'path', type: 'text', value: 'PATH', summary: 'until there is something at the path' },
    { name: 'equals', field: 'equals', type: 'value', value: 'VALUE', summary: 'with --path: until it is this' },
    {
      name: 'step',
      field: 'step',
      type: 'text',
      value: 'STEP',
      summary: 'until the step has finished; exit 10 when it failed',
    },
    { name: 'ended', field: 'ended', type: 'boolean', summary: 'until the session has ended' },
    {
      name: 'turn',
      field: 'turn',
      type: 'text',
      value: 'AGENT',
      summary: 'until the agent has the turn; prints channel and token',
    },
    { name: 'channel', field: 'channel', type: 'text', value: 'CHANNEL', summary: 'with --turn: in this one' },
    {
      name: 'timeout',
      field: 'timeout',
      type: 'duration',
      value: 'TIME',
      summary: 'give up after 500ms, 30s, 5m or 2h; never when left out',
    },
  ],
  shares: ['session'],
  run: async (context, input) => {
    const agent = textOf(input, 'turn')
    const condition = conditionOf(input)
    const session = await context.session(agent === undefined ? 'read' : 'write')
    const began = performance.now()
    const timeout = numberOf(input, 'timeout')
    if (agent !== undefined) {
      const { actor, signal: stop } = context
      const asked = { agent, channel: textOf(input, 'channel'), wait_ms: timeout, actor, signal: stop }
      return turnResult(session, await unlessStopped(stop, waitForTurn(session, asked)), began)
    }
    const late = timeout === undefined ? [] : [AbortSignal.timeout(Math.min(timeout, LONGEST_TIMER_MS))]
    const signal = AbortSignal.any([...late, context.signal])
    const held = await until(session, condition, signal)
    if (!held && context.signal.aborted)
      return { data: { session: session.id, seq: session.seq, held: false }, text: '' }
    if (!held) throw timedOut(session, condition, timeout ?? 0)
    const failed = stepsOf(session).find(({ name, status }) => name === textOf(input, 'step') && status === 'failed')
    if (failed !== undefined)
      throw new EngineError('STEP_FAILED', `step ${failed.name} failed: ${failed.reason ?? 'no reason given'}`, {
        hint: `steadfold step show ${quoted(failed.name)}`,
      })
    return {
      data: { session: session.id, seq: session.seq, held: true, waited_ms: Math.round(performance.now() - began) },
      text: () => `seq ${session.seq}`,
    }
  },
}

function turnResult(session: Session, turn: Turn | undefined, began: number): Result {
  const where = { session: session.id, seq: session.seq }
  if (turn === undefined) return { data: { ...where, held: false }, text: '' }
  const waited_ms = Math.round(performance.now() - began)
  return { data: { ...where, held: true, waited_ms, ...turn }, text: `${turn.channel} ${turn.token}` }
}

async function until(session: Session, condition: Condition, signal: AbortSignal): Promise<boolean> {
  if (await isSo(session, condition)) return true
  for await (const _ of session.commits({ after: session.seq, live: true, signal })) {
    await session.refresh()
    if (await isSo(session, condition)) return true
    if (signal.aborted) break
  }
  return false
}

/** Throws where it never will be: nothing is written to a session that has ended. */
async function isSo(session: Session, { what, holds }: Condition): Promise<boolean> {
  if (await holds(session)) return true
  if (statusOf(session) !== 'terminated') return false
  const name = nameOf(session)
  throw new EngineError('SESSION_NOT_WRITABLE', `session ${name} has ended, and this is not so: ${what}`, {
    hint: `steadfold session show ${quoted(name)}; steadfold session fork ${quoted(name)} NEW-NAME goes on from it`,
  })
}

function timedOut(session: Session, { what }: Condition, timeout: number): EngineError {
  return new EngineError(
    'WAIT_TIMEOUT',
    `after ${duration(timeout)} it is still not so: ${what}; the session stands at ${session.seq}`,
    {
      hint: 'steadfold status shows what is in the way',
      details: { seq: session.seq, timeout_ms: timeout },
    },
  )
}

function conditionOf(input: Input): Condition {
  const given = ['seq', 'path', 'step', 'ended', 'turn'].filter((field) => input[field] !== undefined)
  if (given.length !== 1)
    throw usage(
      given.length === 0 ? 'wait for what?' : `wait for one thing, not ${given.length}`,
      'give one of --seq, --path, --step, --ended, --turn',
    )
  if (textOf(input, 'equals') !== undefined && given[0] !== 'path') throw usage('--equals belongs to --path')
  if (textOf(input, 'channel') !== undefined && given[0] !== 'turn') throw usage('--channel belongs to --turn')
  const seq = wholeOf(input, 'seq', '--seq')
  if (seq !== undefined) return { what: `seq ${seq}`, holds: (session) => session.seq >= seq }
  if (isOn(input, 'ended'))
    return { what: 'the session has ended', holds: (session) => statusOf(session) === 'terminated' }
  const turn = textOf(input, 'turn')
  if (turn !== undefined) return { what: `${turn} has the turn`, holds: () => false }
  const step = textOf(input, 'step')
  return step === undefined ? pathCondition(input) : stepCondition(step)
}

/** A failed step is over, too: nobody should wait for it, unless it is tried again by itself. */
function stepCondition(step: string): Condition {
  const over = new Set(['finished', 'failed', 'reused'])
  return {
    what: `step ${step} has finished`,
    holds: (session) => stepsOf(session).some(({ name, status, again }) => name === step && over.has(status) && !again),
  }
}

function pathCondition(input: Input): Condition {
  const path = textOf(input, 'path') ?? '$'
  const text = textOf(input, 'equals')
  if (text === undefined)
    return { what: `there is something at ${path}`, holds: async (session) => (await session.get(path)) !== undefined }
  const wanted = toValue(text, false)
  const canonical = canonicalJson(wanted)
  return {
    what: `${path} is ${brief(wanted)}`,
    holds: async (session) => {
      const value = await session.get(path)
      return value !== undefined && canonicalJson(value) === canonical
    },
  }
}
