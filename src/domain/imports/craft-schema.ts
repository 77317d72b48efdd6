/*
 * The craft session document, version 1.0.0.
 *
 * V1. One description for everything: with `formats`, what the document promises; without, what can be read at all.
 */
import * as z from 'zod/mini'
import { schemaWords } from '../../kernel/text/schema-words.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const text = z.string()
const count = z.int().check(z.minimum(0))
const share = z.number().check(z.minimum(0), z.maximum(1))
const paths = z.array(text)

let session: CraftSchema | undefined
let readable: CraftSchema | undefined
/** Of a document that keeps to what it promises. Made on use: few commands read one. */
export const craftSession = (): CraftSchema => (session ??= craftSchema(true))
/** Of one that can be read: ids and hashes may have any form, and a later version 1 adds to this one. */
export const craftReadable = (): CraftSchema => (readable ??= craftSchema(false))

type CraftSchema = ReturnType<typeof craftSchema>
export type Craft = z.output<CraftSchema>

function craftSchema(isStrict: boolean) {
  const forms = formsOf(isStrict)
  const { moment, form } = forms
  return z.looseObject({
    $schema: z.optional(text),
    schema_version: isStrict ? z.literal('1.0.0') : z.string().check(z.regex(/^1\.\d+\.\d+$/, 'must be 1.0.0')),
    session_id: form(UUID, 'must be a UUID'),
    created_at: moment,
    updated_at: moment,
    device: text,
    project: form(/^(?:\/|[A-Za-z]:[\\/])/, 'must be an absolute path'),
    goal: text,
    mode: z.enum(['debug', 'default', 'optimize', 'release']),
    status: z.enum(['in_progress', 'paused', 'completed', 'error', 'aborted']),
    progress: share,
    agents: z.array(agentOf(forms)),
    completed_work: z.array(text),
    pending_tasks: z.array(text),
    decisions_made: z.array(
      z.object({
        timestamp: moment,
        context: text,
        options: z.array(text),
        chosen: text,
        reasoning: z.nullable(text),
      }),
    ),
    files_modified: z.array(fileOf(forms)),
    ...aboutOf(forms),
  })
}

/** A text that must have a form, where forms count. */
function formsOf(isStrict: boolean) {
  const form = (pattern: RegExp, said: string) => (isStrict ? z.string().check(z.regex(pattern, said)) : z.string())
  return {
    form,
    moment: isStrict ? z.iso.datetime('must be an ISO 8601 time in UTC') : z.string(),
    agentId: form(/^agent-\d+$/, 'must be agent-N'),
  }
}

type Forms = ReturnType<typeof formsOf>

function agentOf({ moment, agentId }: Forms) {
  return z.object({
    id: agentId,
    type: text,
    status: z.enum(['pending', 'running', 'completed', 'error', 'timeout']),
    started_at: z.nullable(moment),
    completed_at: z.nullable(moment),
    duration_seconds: z.nullable(count),
    progress: z.nullable(share),
    result: z.nullable(z.enum(['success', 'failure', 'timeout', 'aborted'])),
    blocking_on: z.nullable(agentId),
    error: z.nullable(
      z.object({
        category: z.enum(['transient', 'resource', 'configuration', 'logical', 'permanent']),
        message: text,
        retry_count: count,
        last_retry_at: z.nullable(moment),
      }),
    ),
    output_summary: z.nullable(text),
    artifacts: z.object({ files_created: paths, files_modified: paths, files_deleted: paths }),
  })
}

function fileOf({ form, moment, agentId }: Forms) {
  const hash = z.nullable(form(/^[0-9a-f]{64}$/, 'must be a sha256: 64 hex digits'))
  return z.object({
    path: form(/^(?!\/|[A-Za-z]:[\\/])/, 'must be relative to the project'),
    action: z.enum(['created', 'modified', 'deleted']),
    agent_id: agentId,
    timestamp: moment,
    lines_added: z.nullable(count),
    lines_removed: z.nullable(count),
    hash_before: hash,
    hash_after: hash,
  })
}

function aboutOf({ form, moment, agentId }: Forms) {
  return {
    context_usage: z.object({
      estimated_tokens: count,
      compression_count: count,
      last_compression: z.nullable(moment),
      by_agent: z.record(agentId, count),
    }),
    teleportation: z.object({
      enabled: z.boolean(),
      last_sync: z.nullable(moment),
      sync_status: z.nullable(z.enum(['success', 'pending', 'error'])),
      sync_error: z.nullable(text),
      devices: z.array(text),
      storage_backend: z.enum(['claude-desktop', 'local', 's3']),
      encrypted: z.boolean(),
      shared_with: z.nullable(z.array(form(/^[^\s@]+@[^\s@]+$/, 'must be an address'))),
    }),
    metadata: z.optional(
      z.looseObject({
        git_branch: z.optional(z.nullable(text)),
        git_commit: z.optional(z.nullable(form(/^[0-9a-f]{40}$/, 'must be a sha1: 40 hex digits'))),
        craft_version: z.optional(form(/^\d+\.\d+\.\d+/, 'must be a version: 1.0.0')),
        tags: z.optional(z.array(text)),
        notes: z.optional(z.nullable(text)),
      }),
    ),
  }
}

/** What is wrong, with the name of the field. */
export function issuesOf(schema: CraftSchema, document: unknown): readonly string[] {
  const parsed = z.safeParse(schema, document, { error: schemaWords })
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`)
}

export function craftJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(craftSession(), {
    io: 'input',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  })
  return {
    $schema,
    $id: 'urn:steadfold:schema:craft-session.v1',
    title: 'Craft session',
    description: 'What steadfold session export --format craft@1.0.0 prints',
    ...schema,
  }
}

function tidy(schema: { format?: string; pattern?: string; maximum?: number; propertyNames?: unknown }): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
