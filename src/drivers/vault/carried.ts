/* What goes along with a session beside its log: a patch, and transcripts. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import type { Redactor } from '../../kernel/redact/redact.ts'
import { wrongAmong, type Manifest } from './manifest.ts'
import { patchFor, type PatchSecrets } from './patch.ts'
import type { Source } from './write.ts'

export interface ToCarry {
  readonly patch?: boolean
  readonly patchSecrets?: PatchSecrets
  /** Files of text to take along. */
  readonly transcripts?: readonly string[]
}

export interface Carried {
  readonly sources: readonly Source[]
  /** What the manifest says of it. */
  readonly said: Pick<Manifest, 'redactions' | 'kept_secrets'>
}

/** Texts go through the rules that hold for everything that is written; for a patch somebody says so. */
export function carriedOf(project: string, wishes: ToCarry, redactor: Redactor | undefined): Carried {
  const { patch = false, patchSecrets = 'refuse', transcripts = [] } = wishes
  const made = patch ? patchFor(project, redactor, patchSecrets) : undefined
  const sources: Source[] = made === undefined ? [] : [fixed('carried/patch.diff', made.bytes)]
  const tally = new Map(made?.redacted)
  for (const file of transcripts) {
    const text = textIn(file)
    sources.push(
      fixed(`carried/transcripts/${nameFor(file)}`, Buffer.from(redactor?.text(text, tally) ?? text, 'latin1')),
    )
  }
  assertNames(sources)
  const kept = made === undefined || made.kept.size === 0 ? {} : { kept_secrets: Object.fromEntries(made.kept) }
  return { sources, said: { redactions: Object.fromEntries(tally), ...kept } }
}

const nameFor = (file: string): string =>
  path
    .basename(file)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')

const fixed = (name: string, bytes: Buffer): Source => ({
  path: name,
  chunks: async function* () {
    yield bytes
  },
})

/** Whoever gets it would refuse the whole bundle. */
function assertNames(sources: readonly Source[]): void {
  const wrong = wrongAmong(sources.map((source) => source.path))
  if (wrong === undefined) return
  throw new EngineError('INPUT_INVALID', `the transcripts cannot go along: the bundle would hold ${wrong}`, {
    hint: 'rename a file: at most 100 letters, digits, dots, hyphens and underscores, no name twice',
  })
}

/** One byte, one character: it may be of any encoding. */
function textIn(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch (error) {
    throw new EngineError('FILE_NOT_FOUND', `cannot read the transcript ${file}`, {
      hint: '--transcript takes a file',
      cause: error,
    })
  }
}
