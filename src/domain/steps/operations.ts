import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { isForbiddenKey } from '../../kernel/path/path.ts'
import { BREAKER_MS } from './breaker.ts'
import {
  decideAdopt,
  decideFail,
  decideFinish,
  decideGate,
  decidePark,
  decideRelease,
  decideRetry,
  decideReuse,
  decideStart,
} from './decide.ts'
import { findRecord, stepsOf } from './steps.ts'
import { stepRow, stepRows } from './views.ts'

const key = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a sha-256 in hex'))
const name = z.string().check(
  z.minLength(1),
  z.maxLength(200),
  // oxlint-disable-next-line no-control-regex -- names are shown on terminals
  z.regex(/^[^\u0000-\u001f\u007f]+$/, 'must not hold control characters'),
  z.refine((text) => !isForbiddenKey(text), 'is never stored'),
)
const state = z._default(z.nullable(z.string()), null)
const token = z.int().check(z.positive())
const amount = z._default(z.number().check(z.nonnegative()), 0)
const command = z.union([z.string(), z.array(z.string()).check(z.minLength(1))])
export const processRef = z.object({
  host: z.string(),
  machine: z.optional(z.string()),
  boot_id: z.string(),
  pid_namespace: z.string(),
  pid: z.number(),
  started: z.string(),
})
const worker = z.object({ dir: z.string(), runner: z.nullable(processRef), pid: z.nullable(z.int()) })
const captured = z._default(
  z.nullable(z.object({ sha256: key, bytes: z.int().check(z.minimum(0)), truncated: z.boolean() })),
  null,
)
const report = z.object({
  path: z.nullable(z.string()),
  kept: z.nullable(z.object({ sha256: key, bytes: z.int().check(z.minimum(0)) })),
  title: z.string(),
  summary: z.string(),
  key_findings: z.array(z.string()),
  by_rule: z.array(z.enum(['title', 'summary', 'key_findings'])),
})
const cost = { tokens: amount, cost_usd: amount, duration_ms: amount }
const written = { stdout: captured, stderr: captured }
const reason = z.string().check(z.minLength(1), z.maxLength(1000))
const step = z.string().check(z.minLength(1))

export const stepsOperations = [
  writeOperation({
    name: 'step.start',
    summary: 'Record that an attempt of a step begins',
    input: () =>
      z.object({
        key,
        name,
        state,
        command,
        repeatable: z._default(z.boolean(), false),
        worker: z._default(z.nullable(worker), null),
        lease: z.optional(token),
        most: z.optional(z.int().check(z.positive())),
      }),
    decide: decideStart,
    answer: (events) => events.find((event) => event.type === 'step.started')?.data,
  }),
  writeOperation({
    name: 'step.adopt',
    summary: 'Record who waits for a worker whose runner is gone',
    input: () => z.object({ key, token, worker, lease: z.optional(token), from: z.optional(z.nullable(processRef)) }),
    decide: decideAdopt,
  }),
  writeOperation({
    name: 'step.finish',
    summary: 'Record the result of an attempt',
    input: () =>
      z.object({
        key,
        token,
        exit: z.int(),
        ...cost,
        ...written,
        outputs: z._default(z.record(z.string(), z.string()), {}),
        artifacts: z._default(
          z.array(z.object({ path: z.string(), sha256: key, bytes: z.int().check(z.minimum(0)) })),
          [],
        ),
        report: z.optional(report),
      }),
    decide: decideFinish,
  }),
  writeOperation({
    name: 'step.fail',
    summary: 'Record that an attempt failed, and how',
    input: () =>
      z.object({
        key,
        token,
        ...cost,
        ...written,
        reason,
        class: z.enum(['transient', 'terminal', 'timeout', 'unknown']),
        exit: z._default(z.nullable(z.int()), null),
        interrupted: z._default(z.boolean(), false),
        again: z.optional(z.boolean()),
        breaker_ms: z._default(z.number().check(z.nonnegative()), BREAKER_MS),
      }),
    decide: decideFail,
  }),
  writeOperation({
    name: 'step.reuse',
    summary: 'Take the result that the same key had before',
    input: () => z.object({ key, name, state }),
    decide: decideReuse,
  }),
  writeOperation({
    name: 'step.gate',
    summary: 'Ask a person before something begins',
    input: () => z.object({ key, name, state, reason }),
    decide: decideGate,
  }),
  writeOperation({
    name: 'step.park',
    summary: 'Keep a step from running until a person releases it',
    input: () =>
      z.object({ step, reason: z._default(reason, 'parked by a person'), gone: z._default(z.boolean(), false) }),
    positional: ['step'],
    decide: decidePark,
  }),
  writeOperation({
    name: 'step.release',
    summary: 'Let a parked step run, or pass a gate',
    input: () => z.object({ step }),
    positional: ['step'],
    decide: decideRelease,
  }),
  writeOperation({
    name: 'step.retry',
    summary: 'Let a failed step run again',
    input: () => z.object({ step }),
    positional: ['step'],
    decide: decideRetry,
  }),
  readOperation({
    name: 'step.list',
    summary: 'The steps of a session and what became of them',
    input: () =>
      z.object({
        status: z.optional(z.enum(['running', 'finished', 'failed', 'parked', 'ready'])),
        all: z._default(z.boolean(), false),
      }),
    read: (state, { status, all }) =>
      stepRows(state, all).filter((row) => status === undefined || row.status === status),
  }),
  readOperation({
    name: 'step.show',
    summary: 'Everything the ledger holds of a step',
    input: () => z.object({ step }),
    positional: ['step'],
    read: (state, { step }) => {
      const record = findRecord(stepsOf(state), step)
      if (record === undefined)
        throw new EngineError('STEP_NOT_FOUND', `no step "${step}" has begun`, { hint: 'steadfold step list' })
      return { ...stepRow(record), record }
    },
  }),
]
