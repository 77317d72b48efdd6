import { sliceOf } from '../../kernel/state/module.ts'
import { dangling, placeOf, type Keeps, type References } from '../../kernel/state/references.ts'
import { recordOf, stepsOf } from './steps.ts'

/** Names and breakers that stand for work which is not in the ledger, and work of a state that is not in the workflow. */
export const references: References = (root) => {
  const slice = stepsOf(root)
  const names = Object.entries(slice?.names ?? {})
    .filter(([, key]) => recordOf(slice, key) === undefined)
    .map(([name, key]) => dangling(placeOf('$.steps.names', name), `step ${key}`))
  const probes = Object.entries(slice?.breakers ?? {})
    .filter(([, { probe }]) => probe !== null && recordOf(slice, probe) === undefined)
    .map(([family, { probe }]) => dangling(placeOf('$.steps.breakers', family, 'probe'), `step ${probe ?? ''}`))
  const states = sliceOf<{ readonly definition?: { readonly states?: object } }>(root, 'workflow')?.definition?.states
  const lost = Object.values(slice?.ledger ?? {}).flatMap(({ key, state, status }) =>
    states === undefined || state === null || status === 'finished' || Object.hasOwn(states, state)
      ? []
      : [
          dangling(
            placeOf('$.steps.ledger', key, 'state'),
            `state ${state}`,
            'the workflow has no such state any more',
          ),
        ],
  )
  return [...names, ...probes, ...lost]
}

/** What steps wrote, as far as it was kept. */
export const keeps: Keeps = (root) =>
  Object.values(stepsOf(root)?.ledger ?? {}).flatMap(({ key, result }) =>
    (['stdout', 'stderr'] as const).flatMap((stream) => {
      const sha256 = result?.[stream]?.sha256
      return sha256 === undefined ? [] : [{ path: placeOf('$.steps.ledger', key, 'result', stream), sha256 }]
    }),
  )
