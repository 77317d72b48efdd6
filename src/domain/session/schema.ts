import * as z from 'zod/mini'
import {
  amount,
  count,
  flag,
  maybe,
  millis,
  moment,
  positive,
  processRef,
  sha256,
  text,
  texts,
} from '../../kernel/state/shapes.ts'

const ask = z.object({
  operation: text,
  actor: text,
  note: z.nullable(text),
  status: z.enum(['asked', 'granted', 'denied']),
  asked_at: moment,
  due: z.nullable(millis),
  uses: count,
})

const preferences = z.object({
  max_parallel_agents: maybe(z.int().check(z.minimum(1), z.maximum(10))),
  auto_persistence_interval: maybe(z.int().check(z.minimum(10))),
  consent_mode: maybe(z.enum(['explicit', 'informed', 'automatic'])),
})

const life = {
  status: z.enum(['initializing', 'active', 'suspended', 'recovering', 'terminating', 'terminated']),
  outcome: z.nullable(text),
  ended_at: z.nullable(moment),
  auto_cleanup: flag,
}

const place = z.object({ place: text, device: text })

const gitHead = z.object({ branch: z.nullable(text), commit: z.nullable(text) })

const stored = {
  id: text,
  name: text,
  goal: z.nullable(text),
  mode: z.enum(['development', 'leadership', 'config', 'emergency']),
  created_at: moment,
  consent: z.object({
    gated: texts,
    delay_ms: amount,
    asks: z.record(text, ask),
    used: z.record(text, count),
  }),
  lease: z.nullable(
    z.object({ holder: text, token: positive, acquired_at: moment, expires: millis, process: z.nullable(processRef) }),
  ),
  marks: z.record(text, count),
  lineage: z.array(z.object({ session: text, seq: count, hash: sha256 })),
  recoveries: count,
  redactions: maybe(z.record(text, count)),
  epoch: positive,
  transport: z.object({
    owner: z.nullable(place),
    departed: z.nullable(
      z.object({
        transfer: text,
        epoch: positive,
        to: z.nullable(text),
        at: moment,
        root: maybe(text),
        git: maybe(gitHead),
      }),
    ),
    roots: maybe(texts),
    devices: texts,
    shared_with: texts,
  }),
}

export const sessionSchema = z.object({
  ...stored,
  user_context: z.looseObject({ user_preferences: maybe(preferences) }),
  lifecycle: z.object({ ...life, expiry: z.nullable(moment) }),
})

/** With what is derived. */
export const sessionDocument = z.object({
  ...stored,
  updated_at: moment,
  sync: maybe(
    z.object({
      last_sync: moment,
      sync_status: z.enum(['success', 'pending', 'error']),
      sync_error: z.nullable(text),
      remote: text,
      storage_backend: z.enum(['folder', 'git', 's3']),
      encrypted: flag,
    }),
  ),
  user_context: z.looseObject({
    workspace_path: text,
    project_name: maybe(text),
    git_branch: maybe(text),
    user_preferences: maybe(preferences),
  }),
  lifecycle: z.object({ ...life, expiry: maybe(moment), last_activity: moment }),
})
