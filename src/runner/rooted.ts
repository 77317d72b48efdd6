import { rootsOf } from '../kernel/exchange/roots.ts'
import type { Session } from '../kernel/session.ts'
import type { RunnerDeps } from './ports.ts'

/** A session that has arrived with a folder of its own for the project is worked on there. */
export function rooted(deps: RunnerDeps, session: Session): RunnerDeps {
  const { here } = rootsOf(session.stored)
  if (here === undefined || here === deps.dir) return deps
  return { ...deps, ...deps.at?.(here) }
}
