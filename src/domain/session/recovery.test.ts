import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../kernel/care/recovery.ts'
import { diagnose } from './recovery.ts'

const lease = { holder: 'tool:runner', token: 4, acquired_at: '2026-01-01T00:00:00.000Z', expires: 1000, process: null }
const verdict = (kind: Verdict['kind']): Verdict => ({ kind, reasons: [kind] })

describe('V1 lost is decided by evidence', () => {
  const table: Record<Verdict['kind'], { readonly fresh: string | undefined; readonly expired: string }> = {
    alive: { fresh: undefined, expired: 'expired' },
    dead: { fresh: 'crashed', expired: 'crashed' },
    unknown: { fresh: undefined, expired: 'expired' },
  }
  for (const [kind, { fresh, expired }] of Object.entries(table)) {
    test(`a holder that is ${kind}: ${fresh ?? 'not lost'} while its lease is fresh, ${expired} after`, () => {
      expect(diagnose(lease, 1000, verdict(kind as Verdict['kind']))?.cause).toBe(fresh)
      expect(diagnose(lease, 1001, verdict(kind as Verdict['kind']))?.cause).toBe(expired)
    })
  }

  test('the evidence says both what the clock and what the machine know', () => {
    expect(diagnose(lease, 61_000, verdict('dead'))?.evidence).toEqual(['lease expired 60 s ago', 'dead'])
  })
})
