import { dangling, placeOf, type Keeps, type References } from '../../kernel/state/references.ts'
import { isDefined, stateOf, workflowOf } from './workflow.ts'

/** States that are named and that the definition does not have; steps that need one that is not there. */
export const references: References = (root) => {
  if (!isDefined(root)) return []
  const { definition, current, terminal, intent, error } = workflowOf(root)
  const named = [
    ['$.workflow.current', current],
    ['$.workflow.terminal', terminal],
    ['$.workflow.intent.to', intent?.to],
    ['$.workflow.error.failed_state', error?.failed_state],
  ] as const
  const states = named.flatMap(([place, state]) =>
    state === undefined || stateOf(definition, state) !== undefined ? [] : [dangling(place, `state ${state}`)],
  )
  const steps = new Set(Object.values(definition.states).flatMap((state) => Object.keys(state.steps)))
  const needs = Object.entries(definition.states).flatMap(([name, state]) =>
    Object.entries(state.steps).flatMap(([step, { needs: wanted }]) =>
      wanted
        .filter((need) => !steps.has(need))
        .map((need) => dangling(placeOf('$.workflow.definition.states', name, 'steps', step, 'needs'), `step ${need}`)),
    ),
  )
  const next = Object.entries(definition.states).flatMap(([name, state]) =>
    state.next
      .filter((to) => stateOf(definition, to) === undefined)
      .map((to) => dangling(placeOf('$.workflow.definition.states', name, 'next'), `state ${to}`)),
  )
  return [...states, ...needs, ...next]
}

/** The file that an imported workflow came from. */
export const keeps: Keeps = (root) => {
  const original = isDefined(root) ? workflowOf(root).checkpoint?.original : undefined
  return original ? [{ path: '$.workflow.checkpoint.original', sha256: original.sha256 }] : []
}
