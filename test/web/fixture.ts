/** A workspace with the sample in it, made by the library with a clock that runs behind. */
import * as path from 'node:path'
import { filesKernel, makeWorkspace } from '../../src/compose.ts'
import { host } from '../../src/drivers/host/host.ts'
import type { Scene } from '../../web/src/sample/play.ts'
import { sample } from '../../web/src/sample/sample.ts'

/** How long ago it begins. It takes less than that, by its own clock. */
const AGO_MS = 45 * 60_000

/** Gives the id of the session to look at first. */
export async function fillSample(dir: string, name: string): Promise<string> {
  let now = Date.now() - AGO_MS
  const later = (ms: number) => {
    now = Math.min(now + ms, Date.now())
  }
  const kernel = filesKernel(path.join(dir, '.steadfold'))
  const workspace = makeWorkspace({ ...kernel, host: { ...host, now: () => now } })
  const open = async (title: string, goal: string): Promise<Scene> => {
    const session = await workspace.createSession({ name: title, goal, actor: 'human:sam' })
    const as = async <Value>(actor: string, operation: string, input: object = {}) => {
      const answer = await session.run(operation, input, { actor })
      if (answer.kind === 'refused') throw new Error(`${operation}: ${answer.message}`)
      // The sample knows what each of its operations answers.
      return answer.value as Value
    }
    const fork = (other: string, at: string) => workspace.fork(session, other, at, { actor: 'human:sam' })
    return { id: session.id, as, later, fork }
  }
  const id = await sample({ open, later }, name)
  await workspace.close()
  return id
}
