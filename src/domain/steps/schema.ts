import * as z from 'zod/mini'
import {
  amount,
  count,
  failureClass,
  flag,
  millis,
  moment,
  positive,
  processRef,
  report,
  sha256,
  text,
} from '../../kernel/state/shapes.ts'

const nullable = z.nullable(text)
const worker = z.object({ dir: text, runner: z.nullable(processRef), pid: z.nullable(z.int()) })
const captured = z.nullable(z.object({ sha256, bytes: count, truncated: flag }))
const cost = { tokens: amount, cost_usd: amount, duration_ms: amount }

const result = z.object({
  ...cost,
  stdout: captured,
  stderr: captured,
  exit: z.int(),
  outputs: z.record(text, text),
  artifacts: z.array(z.object({ path: text, sha256, bytes: count })),
  report: z.optional(report),
})

const failure = z.object({
  ...cost,
  stdout: captured,
  stderr: captured,
  class: failureClass,
  reason: text,
  exit: z.nullable(z.int()),
  interrupted: flag,
  again: z.optional(flag),
})

const step = z.object({
  key: sha256,
  name: text,
  state: nullable,
  status: z.enum(['running', 'finished', 'failed', 'parked', 'ready']),
  command: z.union([text, z.array(text), z.null()]),
  family: text,
  repeatable: flag,
  attempts: count,
  failures: count,
  attempt: z.nullable(
    z.object({
      token: positive,
      number: positive,
      started_at: moment,
      worker: z.nullable(worker),
      lease: z.nullable(positive),
    }),
  ),
  result: z.nullable(result),
  failure: z.nullable(failure),
  reason: nullable,
  spent: z.object(cost),
  finished_at: z.nullable(moment),
  reused: count,
})

const runner = z.object({ token: positive, process: processRef, joined_at: moment, expires: millis })

export const stepsSchema = z.object({
  ledger: z.record(text, step),
  names: z.record(text, text),
  breakers: z.record(text, z.object({ failures: count, successes: count, until: z.nullable(millis), probe: nullable })),
  runners: z.record(text, runner),
})

export const stepsParts = { step }
