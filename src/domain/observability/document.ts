/* How a session does: derived when it is read, against the limits of the workspace. */
import type { View } from '../../kernel/document/view.ts'
import { judge, type HealthCheck } from '../../kernel/health.ts'
import { sliceOf } from '../../kernel/state/module.ts'
import type { SessionSlice } from '../session/events.ts'
import { figuresOf } from './figures.ts'
import { metricsOf } from './metrics.ts'
import { MOST_RECENT, recentEvents } from './recent.ts'

const STATUS = { ok: 'healthy', warn: 'degraded', fail: 'critical' } as const
const PASSES = { ok: 'pass', warn: 'warn', fail: 'fail' } as const

export const observability: View = {
  wants: { store: true, recent: MOST_RECENT },
  derive: (state, { session, seq, at, now, isDamaged, limits, store, recent }) => {
    const log_bytes = (store?.segments ?? []).reduce((sum, { bytes }) => sum + bytes, 0)
    const { status, checks } = judge(figuresOf({ state, at, now, log_bytes, damaged: isDamaged }), limits, now)
    const isRecovering = sliceOf<SessionSlice>(state, 'session')?.lifecycle.status === 'recovering'
    return {
      metrics: metricsOf(state, { now, recent }),
      events: { recent: recentEvents(recent, session), event_stream_offset: seq },
      health: {
        system_status: isRecovering ? 'recovering' : STATUS[status],
        checks: Object.fromEntries(checks.map((check) => [check.name, checkDocument(check)])),
      },
    }
  },
}

const checkDocument = ({ name, status, last_checked, figure, next, threshold }: HealthCheck) => ({
  name,
  status: PASSES[status],
  last_checked,
  details: next === null ? String(figure) : `${figure}; ${next}`,
  threshold,
})
