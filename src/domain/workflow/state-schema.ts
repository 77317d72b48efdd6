/* What is stored of a workflow. That of a workflow file is made in schema.ts. */
import * as z from 'zod/mini'
import {
  amount,
  count,
  failureClass,
  flag,
  maybe,
  moment,
  positive,
  sha256,
  share,
  text,
  texts,
} from '../../kernel/state/shapes.ts'

const nullable = z.nullable(text)

const step_definition = z.object({
  run: z.union([text, texts]),
  needs: texts,
  inputs: texts,
  env: z.record(text, text),
  reads: z.record(text, text),
  artifacts: texts,
  repeatable: flag,
  stage: maybe(text),
  files: maybe(texts),
  report: maybe(text),
  timeout_ms: maybe(amount),
  cost_hint_ms: maybe(amount),
  retries: count,
})

const state_definition = z.object({
  mode: z.enum(['parallel', 'waves', 'stages']),
  max_parallel: z.optional(positive),
  min_success: share,
  next: texts,
  on_failure: z.optional(text),
  approval: flag,
  steps: z.record(text, step_definition),
})

const definition = z.object({
  name: text,
  goal: nullable,
  initial: text,
  terminal: text,
  scopes: z.optional(z.record(text, text)),
  scope_rules: z.optional(
    z.array(z.object({ name: text, scope: text, because: z.optional(text), any: texts, unless: z.optional(texts) })),
  ),
  advisory: z.optional(flag),
  retry_limit: z.optional(count),
  states: z.record(text, state_definition),
})

const error = z.object({
  last_error: nullable,
  class: failureClass,
  failed_state: text,
  retry_count: count,
  limit: count,
  at: moment,
  actor: text,
})

/** Of a file from elsewhere: its times are as it wrote them. */
const checkpoint = z.object({
  version: text,
  notes: z.object({
    description: nullable,
    command: nullable,
    status: nullable,
    tests_passing: z.nullable(flag),
    plan: nullable,
    plan_modified: z.nullable(z.number()),
    created_at: nullable,
    updated_at: nullable,
    project: maybe(text),
    config: maybe(z.record(text, z.unknown())),
    others: maybe(z.record(text, z.unknown())),
  }),
  phase_data: z.record(text, z.unknown()),
  supervisor_state: z.record(text, z.unknown()),
  original: z.nullable(z.object({ sha256, bytes: count })),
})

export const workflowStateSchema = z.object({
  name: text,
  definition,
  current: text,
  terminal: text,
  scope: nullable,
  folder: nullable,
  completed_at: z.nullable(moment),
  pass: positive,
  intent: z.nullable(z.object({ from: text, to: text, token: positive, actor: text, at: moment })),
  completed: texts,
  entries: z.record(text, count),
  error: z.nullable(error),
  violations: z.array(z.object({ from: text, to: text, allowed: texts, at: moment, seq: positive, actor: text })),
  checkpoint: maybe(checkpoint),
  history: z.array(z.object({ from: text, to: text, at: moment, seq: positive })),
})

export const workflowParts = { workflow_definition: definition, state_definition, step_definition }
