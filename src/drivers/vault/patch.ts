/*
 * Secrets in a patch. It must apply as git made it, so nothing is taken out of it unasked.
 *
 * P1. What the rules find is counted, binary files aside; unless it was said what to do, the patch is refused.
 * P2. `redact`: taken out of the lines that are added. A file of which lines would be lost, such as a key over several, is
 *     left out whole; so is one where the secret stands in its name, or in lines that must be there already.
 * P3. `keep`: it goes as it is, and the bundle says how much it carries.
 */
import { EngineError } from '../../kernel/error.ts'
import type { Redactor } from '../../kernel/redact/redact.ts'
import { patchOf } from './project.ts'

export type PatchSecrets = 'refuse' | 'redact' | 'keep'

export interface Patch {
  readonly bytes: Buffer
  /** Rule -> how often: taken out, and left in. */
  readonly redacted: ReadonlyMap<string, number>
  readonly kept: ReadonlyMap<string, number>
}

/** Of everything in `dir` that is not committed. */
export function patchFor(dir: string, redactor: Redactor | undefined, how: PatchSecrets): Patch {
  const bytes = patchOf(dir)
  const tally = new Map<string, number>()
  if (redactor === undefined) return { bytes, redacted: tally, kept: tally }
  // One byte, one character: files may be of any encoding.
  const sections = bytes.toString('latin1').split(/^(?=diff --git )/m)
  const clean = sections.map((section) => (isBinary(section) ? section : cleaned(section, redactor, tally)))
  if (tally.size === 0 || how === 'keep') return { bytes, redacted: new Map(), kept: tally }
  if (how === 'refuse') throw secretsIn(dir, tally)
  return { bytes: Buffer.from(clean.join(''), 'latin1'), redacted: tally, kept: new Map() }
}

const isBinary = (section: string): boolean => /^GIT binary patch$/m.test(section)

/** P2 */
function cleaned(section: string, redactor: Redactor, tally: Map<string, number>): string {
  const clean = redactor.text(section, tally)
  return clean === section || applies(section.split('\n'), clean.split('\n')) ? clean : ''
}

/** Only what is added may say something else: what is there already, and the file's name, must be as git wrote them. */
function applies(before: readonly string[], after: readonly string[]): boolean {
  const body = before.findIndex((line) => line.startsWith('@@ '))
  const isAdded = (line: string | undefined, at: number) => at > body && line?.startsWith('+') === true
  return (
    after.length === before.length &&
    after.every((line, at) => line === before[at] || (isAdded(line, at) && isAdded(before[at], at)))
  )
}

function secretsIn(dir: string, tally: ReadonlyMap<string, number>): EngineError {
  const said = [...tally].map(([rule, times]) => `${rule} ${times}`).join(', ')
  return new EngineError(
    'INPUT_INVALID',
    `what git has not committed in ${dir} holds what looks like secrets: ${said}`,
    {
      hint: '--patch-secrets redact takes them out, --patch-secrets keep takes them along; git diff | steadfold redact test - shows them',
      details: { secrets: Object.fromEntries(tally) },
    },
  )
}
