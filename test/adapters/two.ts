import { rmSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { temporaryFolder } from '../conformance/kit.ts'

/** One session on disk, opened twice, as two processes would. */
export async function two() {
  const dir = temporaryFolder()
  const [one, other] = [await openWorkspace({ dir }), await openWorkspace({ dir })]
  const session = await one.createSession({ name: 'adapters' })
  const sessions = [session, await other.session(session.id)] as const
  onTestFinished(async () => {
    for (const each of [...sessions, one, other]) await each.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return { dir, sessions }
}

/** Longer than what is kept in the state. */
export const long = (text: string): string => text.repeat(10_000)
