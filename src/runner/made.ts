/* What a step has made, and is there no more: its result is kept and not paid again, and who needs it is told. */
import type { StepRecord } from '../domain/steps/events.ts'
import { asError } from '../kernel/error.ts'
import type { Run } from './context.ts'

const WAYS =
  'Bring it back, or have it made again: a step that is written otherwise in the workflow runs, as with env: { AGAIN: 1 }'

export async function warnOfMade(run: Run, name: string, { result }: StepRecord): Promise<void> {
  const made = result?.artifacts ?? []
  if (made.length === 0) return
  const found = await hashesOf(
    run,
    made.map(({ path }) => path),
  )
  for (const { path, sha256 } of made) {
    const what = typeof found === 'string' ? found : whatBecame(found[path], sha256)
    if (what === undefined) continue
    const message = `step ${name} is kept, but what it made is not as it left it: ${path} ${what}`
    run.emit({ type: 'warning', message: `${message}. ${WAYS}` })
  }
}

const whatBecame = (now: string | null | undefined, then: string): string | undefined =>
  now === then ? undefined : (now ?? null) === null ? 'is gone' : 'is another by now'

async function hashesOf(
  { deps }: Run,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>> | string> {
  try {
    return await deps.files.hashes(paths)
  } catch (error) {
    return `cannot be told of: ${asError(error).message}`
  }
}
