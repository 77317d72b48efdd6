/*
 * Spans and metrics through the OpenTelemetry API, which is asked for only here: the package is an optional peer, and the
 * SDK that exports is that of whoever runs the program.
 *
 * F1. A program that has come to its end has its SDK send what it still holds: that gathers spans and metrics, and its clock
 *     keeps no program going. How long it tries is for the SDK.
 */
import type { Observer } from '../../kernel/observer.ts'
import type { Redactor } from '../../kernel/redact/redact.ts'
import { observerOf, type Api } from './telemetry.ts'
import { wishOf, type Environment } from './wish.ts'

interface Opening {
  readonly configured: boolean
  readonly env: Environment
  readonly version: string
  readonly warn: (message: string) => void
  readonly redactor: Redactor | undefined
}

/** Undefined where nobody wants it. */
export async function openTelemetry({
  configured,
  env,
  version,
  warn,
  redactor,
}: Opening): Promise<Observer | undefined> {
  const wish = wishOf(configured, env)
  if (wish === 'off') return undefined
  try {
    const otel = await import('@opentelemetry/api')
    flushAtEnd(otel)
    return observerOf(otel, { version, clean: (text) => redactor?.text(text, new Map()) ?? text })
  } catch {
    // A variable for other programs is no reason to complain.
    if (wish === 'asked') warn('telemetry is on, but its package is missing: npm install @opentelemetry/api')
    return undefined
  }
}

let isArranged = false

/** F1 */
function flushAtEnd({ trace, metrics }: Pick<Api, 'trace' | 'metrics'>): void {
  if (isArranged) return
  isArranged = true
  process.once('beforeExit', () => {
    const tracers = trace.getTracerProvider() as Provider
    // An SDK tells of its failures in its own log.
    for (const each of [tracers.getDelegate?.() ?? tracers, metrics.getMeterProvider() as Provider])
      each.forceFlush?.().catch(() => undefined)
  })
}

/** What an SDK, and what stands in for it, have over the API. */
interface Provider {
  getDelegate?(): Provider
  forceFlush?(): Promise<void>
}
