/*
 * Spans and metrics through the OpenTelemetry API, which is asked for only here: the package is an optional peer, and the
 * SDK that exports is that of whoever runs the program.
 */
import type { Observer } from '../../kernel/observer.ts'
import type { Redactor } from '../../kernel/redact/redact.ts'
import { observerOf } from './telemetry.ts'
import { wishOf, type Environment } from './wish.ts'

interface Opening {
  readonly configured: boolean
  readonly env: Environment
  readonly warn: (message: string) => void
  readonly redactor: Redactor | undefined
}

/** Undefined where nobody wants it. */
export async function openTelemetry({ configured, env, warn, redactor }: Opening): Promise<Observer | undefined> {
  const wish = wishOf(configured, env)
  if (wish === 'off') return undefined
  try {
    return observerOf(await import('@opentelemetry/api'), (text) => redactor?.text(text, new Map()) ?? text)
  } catch {
    // A variable for other programs is no reason to complain.
    if (wish === 'asked') warn('telemetry is on, but its package is missing: npm install @opentelemetry/api')
    return undefined
  }
}
