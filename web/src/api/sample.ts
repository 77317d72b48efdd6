/** A small session with a bit of everything, written by the same operations as a real one. */
import { post, sessionPath } from './request.ts'

type Write = readonly [operation: string, input: Readonly<Record<string, unknown>>, actor: string]

/** Its id. */
export async function loadSample(): Promise<string> {
  const name = `sample-${new Date().toISOString().slice(5, 16).replaceAll(/[T:]/g, '-')}`
  const goal = 'Log in with passwords: research, build, review'
  const { session } = await post<{ readonly session: { readonly id: string } }>('sessions', { name, goal })
  for (const [operation, input, actor] of WRITES)
    await post(sessionPath(session.id, operation), { ...input, $actor: actor })
  return session.id
}

const LEAD = 'agent:lead'
const ADA = 'agent:ada'
const BO = 'agent:bo'
const PERSON = 'human:you'

const WRITES: readonly Write[] = [['state.set', { path: 'data.topic', value: 'login' }, PERSON]]
