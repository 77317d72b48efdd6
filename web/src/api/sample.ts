/** Performs the sample in this workspace, by the same operations as real work. */
import type { Scene } from '../sample/play.ts'
import { sample } from '../sample/sample.ts'
import { post, sessionPath } from './request.ts'
import type { Accepted } from './session.ts'

interface Made {
  readonly session: { readonly id: string }
}

/** Gives the id of the session to look at first. */
export async function loadSample(): Promise<string> {
  const taken = new Date().toISOString().slice(5, 19).replaceAll(/[T:]/g, '-')
  return sample({ open, later: inRealTime }, `sample-${taken}`)
}

/** Nobody waits for a sample. */
const inRealTime = () => undefined

async function open(name: string, goal: string): Promise<Scene> {
  const { session } = await post<Made>('sessions', { name, goal })
  return {
    id: session.id,
    as: async <Value>(actor: string, operation: string, input: object = {}) =>
      (await post<Accepted<Value>>(sessionPath(session.id, operation), { ...input, $actor: actor })).value,
    later: inRealTime,
    fork: (fork, at) => post<Made>(sessionPath(session.id, 'session.fork'), { name: fork, at }),
  }
}
