/*
 * What a bundle says of itself before anything else, signed by whoever packed it.
 *
 * B1. Names are those of a closed list: no folders but ours, no traversal, no links, no twins that differ in case alone.
 * B2. Sizes are declared, and bounded before a byte of what they speak of is read.
 * B3. What is not in the manifest is not in the bundle, and the other way round.
 */
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { schemaWords } from '../../kernel/text/schema-words.ts'

export const HEAD = 'steadfold-bundle 1\n'
/** Of the manifest's text. */
export const MOST_MANIFEST = 8 * 1024 * 1024
/** What may be unpacked unless the caller says more. */
export const MOST_BYTES = 1024 * 1024 * 1024
/** Under this nobody asks how well it was compressed. */
const SMALL = 64 * 1024 * 1024
const MOST_RATIO = 200
const MOST_FILES = 100_000

const count = z.int().check(z.minimum(0))
const text = z.string().check(z.maxLength(4096))
const sha256 = z.string().check(z.regex(/^[a-f0-9]{64}$/))
const place = z.object({ place: text, device: text })

const manifest = z.object({
  format: z.literal('steadfold-bundle'),
  version: z.literal(1),
  /** A copy for reading, the move of a session, or what a place that two machines reach did not have yet. */
  kind: z.enum(['copy', 'transfer', 'increment']),
  session: z.object({
    id: z.string().check(z.regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)),
    name: text,
    /** First commit in here, the last, and the hash of the last. */
    from: z.int().check(z.minimum(1)),
    seq: z.int().check(z.minimum(1)),
    head: sha256,
    /** Hash of the commit before the first; 64 zeros where there is none. */
    prev: sha256,
    epoch: z.int().check(z.minimum(1)),
    transfer: z.nullable(text),
  }),
  made_at: z.iso.datetime(),
  made_by: z.object({ ...place.shape, version: text }),
  /** Recipients it was sealed for, so that none of them can hand it on as if it were for others. */
  sealed_for: z.array(text).check(z.maxLength(100)),
  /** Absolute paths over there, by what they are. */
  roots: z.record(text, text),
  git: z.nullable(z.object({ branch: z.nullable(text), commit: z.nullable(text), patch: z.boolean() })),
  /** What was taken out of texts that came along, by rule. The log itself is as it was written. */
  redactions: z.record(text, count),
  /** What looks like secrets in the patch and was taken along as it is, by rule. */
  kept_secrets: z.optional(z.record(text, count)),
  files: z.array(z.object({ path: text, bytes: count, sha256 })).check(z.maxLength(MOST_FILES)),
})

export type Manifest = z.output<typeof manifest>
export type BundleFile = Manifest['files'][number]

const KNOWN =
  /^(?:log\/\d{20}\.jsonl|blobs\/sha256\/([0-9a-f]{2})\/\1[0-9a-f]{62}|carried\/(?:patch\.diff|transcripts\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}))$/
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

export const manifestBytes = (value: Manifest): Buffer => Buffer.from(JSON.stringify(value))

/** Throws BUNDLE_INVALID. */
export function readManifest(bytes: Buffer): Manifest {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw invalid('its manifest is no JSON', error)
  }
  const parsed = manifest.safeParse(value, { error: schemaWords })
  if (parsed.success) return checkedNames(parsed.data)
  const [issue] = parsed.error.issues
  throw invalid(`its manifest is wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}

function checkedNames(value: Manifest): Manifest {
  const wrong = wrongAmong(value.files.map(({ path }) => path))
  if (wrong !== undefined) throw invalid(`it holds ${wrong}`)
  return value
}

/** B1: what no bundle may hold, in words. */
export function wrongAmong(paths: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (const path of paths) {
    const last = path.slice(path.lastIndexOf('/') + 1)
    const folded = path.normalize('NFC').toLowerCase()
    if (!KNOWN.test(path) || DEVICE.test(last) || /\.$|\.\./.test(path))
      return `${JSON.stringify(path.slice(0, 100))}, which no bundle may hold`
    if (seen.has(folded)) return `${path} twice`
    seen.add(folded)
  }
  return undefined
}

/** B2. `packed` is the size of the whole bundle as it came. */
export function assertSizes({ files }: Manifest, packed: number, most: number | undefined): void {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const limit = most ?? (total <= SMALL ? SMALL : Math.min(MOST_BYTES, packed * MOST_RATIO))
  if (total <= limit) return
  throw new EngineError('BUNDLE_INVALID', `the bundle says it holds ${total} bytes, more than the ${limit} expected`, {
    hint: 'if you trust whoever packed it: --max-bytes N',
    details: { bytes: total, limit },
  })
}

export const invalid = (why: string, cause?: unknown): EngineError =>
  new EngineError('BUNDLE_INVALID', `this is no whole bundle: ${why}`, {
    hint: 'nothing was unpacked; have it sent again',
    ...(cause === undefined ? {} : { cause }),
  })
