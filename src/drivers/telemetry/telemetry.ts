/*
 * What is observed, as spans and metrics.
 *
 *   operation ──began, ended──► span `task.claim`           around the call, below the caller's own span
 *   commits   ──committed─────► spans of what is over: `step lint`, `state plan`, `invoke_agent worker-1`,
 *                               `invoke_workflow review`    with the times of the log
 *
 * E1. All spans of a session are one trace: its id is that of the session, whatever process writes.
 * E2. What is over is told once, by the process that wrote its end, with its true beginning: work that outlives processes
 *     is whole.
 * E3. Names are those of the conventions for generative AI, version 0.1.0, where they have one, else `steadfold.*`.
 */
import type * as api from '@opentelemetry/api'
import { asError, isError } from '../../kernel/error.ts'
import type { Observer, Watched } from '../../kernel/observer.ts'
import type { Answer } from '../../kernel/operation/answer.ts'
import { Instruments } from './instruments.ts'
import { Spending } from './spending.ts'
import { Starts } from './starts.ts'
import { endedWork, type Work } from './work.ts'

export type Api = Pick<typeof api, 'trace' | 'metrics' | 'context' | 'SpanStatusCode' | 'ROOT_CONTEXT' | 'TraceFlags'>

const NAME = 'steadfold'

/** Of the program that tells. */
export interface Teller {
  readonly version: string
  /** What is told goes to others: takes secrets out of what callers have written, as is done with what the log keeps. */
  readonly clean: (text: string) => string
}

export function observerOf(otel: Api, { version, clean }: Teller): Observer {
  const tracer = otel.trace.getTracer(NAME, version)
  const instruments = new Instruments(() => otel.metrics.getMeter(NAME, version))
  const starts = new Starts()
  const spending = new Spending()
  return {
    began: (session, asked) => {
      const [operation, actor] = [clean(asked.operation), asked.actor && clean(asked.actor)]
      const active = otel.context.active()
      const parent = otel.trace.getSpan(active) === undefined ? traceOf(otel, session) : active
      const attributes = { ...ofSession(session), ...ofActor(actor), 'steadfold.operation': operation }
      const span = tracer.startSpan(operation, { attributes }, parent)
      const began = performance.now()
      return (outcome) => {
        const end = 'error' in outcome ? failed(otel, outcome.error, clean) : answered(outcome.answer)
        span.setAttributes(end.attributes)
        if (end.status !== undefined) span.setStatus(end.status)
        span.end()
        instruments.operation((performance.now() - began) / 1000, { 'steadfold.operation': operation, ...end.type })
      }
    },
    deciding: (session) => {
      starts.look(session)
      spending.look(session)
    },
    committed: (session, commits) => {
      for (const commit of commits) {
        instruments.commit(commit)
        for (const event of commit.events) instruments.spent(event, spending.of(session, event))
        for (const work of endedWork(session, commit, starts)) tell(otel, tracer, { session, work, instruments })
      }
    },
    conflicted: () => instruments.conflict(),
  }
}

interface Told {
  readonly session: Watched
  readonly work: Work
  readonly instruments: Instruments
}

/** E2 */
function tell(otel: Api, tracer: api.Tracer, { session, work, instruments }: Told): void {
  const { name, from, to, error } = work
  const attributes = { ...ofSession(session), ...work.attributes }
  const span = tracer.startSpan(name, { startTime: from, attributes }, traceOf(otel, session))
  if (error !== undefined) {
    span.setAttribute('error.type', error.type)
    span.setStatus({ code: otel.SpanStatusCode.ERROR, message: error.message })
  }
  span.end(to)
  instruments.work(Math.max(0, to - from) / 1000, work)
}

/** E1: below a span that nobody sees, which stands for the session. */
function traceOf({ trace, ROOT_CONTEXT, TraceFlags }: Api, { id }: Watched): api.Context {
  const traceId = id.replaceAll('-', '')
  if (!/^(?!0{16})[0-9a-f]{16}(?!0{16})[0-9a-f]{16}$/.test(traceId)) return ROOT_CONTEXT
  const spanId = traceId.slice(16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
}

const ofSession = ({ id }: Watched) => ({ 'gen_ai.conversation.id': id, 'steadfold.session.id': id })

function ofActor(actor: string | undefined): Readonly<Record<string, string>> {
  if (actor === undefined) return {}
  const id = actor.slice(actor.indexOf(':') + 1)
  return { 'steadfold.actor': actor, ...(actor.startsWith('agent:') ? { 'gen_ai.agent.name': id } : {}) }
}

interface End {
  readonly attributes: Readonly<Record<string, string | number>>
  readonly type: Readonly<Record<string, string>>
  readonly status?: api.SpanStatus
}

/** A rule's no is an answer, not an error. */
function answered(answer: Answer): End {
  if (answer.kind === 'accepted')
    return { attributes: { 'steadfold.seq': answer.seq, 'steadfold.events': answer.events.length }, type: {} }
  return { attributes: { 'steadfold.refusal': answer.code }, type: { 'steadfold.refusal': answer.code } }
}

function failed({ SpanStatusCode }: Api, error: unknown, clean: (text: string) => string): End {
  const code = isError(error) && 'code' in error ? String(error.code) : 'UNEXPECTED'
  const message = clean(asError(error).message)
  const type = { 'error.type': code }
  return { attributes: type, type, status: { code: SpanStatusCode.ERROR, message } }
}
