/*
 * Whether a process lives, by evidence and never by age.
 *
 * E1. Dead: the machine was started again since, there is no such pid, the pid is a later process, or it is a zombie.
 * E2. Alive: the same pid with the same start time in the same namespace.
 * E3. Unknown: on another machine or in another pid namespace, where nothing can be seen from here.
 */
import type { ProcessRef, Verdict } from '../../kernel/care/recovery.ts'
import { here, running } from './identity.ts'

export function evidence(ref: ProcessRef): Verdict {
  const place = here()
  if (ref.boot_id !== place.boot_id) {
    if (isHere(ref)) return { kind: 'dead', reasons: [`${ref.host} was started again since`] }
    const other = ref.host === place.host ? 'this is another of that name' : `this is ${place.host}`
    return { kind: 'unknown', reasons: [`pid ${ref.pid} was on ${ref.host}, ${other}`] }
  }
  if (ref.pid_namespace !== place.pid_namespace || (place.boot_id === '' && ref.host !== place.host)) {
    return { kind: 'unknown', reasons: [`pid ${ref.pid} is in another container or on another machine (${ref.host})`] }
  }
  const found = running(ref.pid)
  if (found === undefined) return { kind: 'dead', reasons: [`pid ${ref.pid} not running`] }
  if (found.zombie) return { kind: 'dead', reasons: [`pid ${ref.pid} is a zombie`] }
  if (ref.started !== '' && found.started !== ref.started) {
    return { kind: 'dead', reasons: [`pid ${ref.pid} is another process, started later`] }
  }
  return { kind: 'alive', reasons: [`pid ${ref.pid} is running`] }
}

/** By its name, and by what it says of itself where both are known: many machines have the name of their image. */
function isHere({ host, machine }: ProcessRef): boolean {
  const place = here()
  return host === place.host && (machine ?? place.machine) === (place.machine ?? machine)
}
