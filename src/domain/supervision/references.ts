import { dangling, placeOf, type Keeps, type References } from '../../kernel/state/references.ts'
import { supervisionOf } from './supervision.ts'

/** Workers that are waited for, or stand in a wave, and are not there. */
export const references: References = (root) =>
  Object.values(supervisionOf(root)?.supervisors ?? {}).flatMap(({ id, workers, waves }) => {
    const place = placeOf('$.supervision.supervisors', id)
    const has = (worker: string) => Object.hasOwn(workers, worker)
    const needed = Object.values(workers).flatMap(({ id: worker, needs }) =>
      needs.map((need) => [placeOf(`${place}.workers`, worker, 'needs'), need] as const),
    )
    const placed = waves.flatMap((wave, at) => wave.map((worker) => [placeOf(place, 'waves', at), worker] as const))
    return [...needed, ...placed]
      .filter(([, worker]) => !has(worker))
      .map(([path, worker]) => dangling(path, `worker ${worker}`))
  })

/** Reports of workers, whole. */
export const keeps: Keeps = (root) =>
  Object.values(supervisionOf(root)?.supervisors ?? {}).flatMap(({ id, workers }) =>
    Object.values(workers).flatMap(({ id: worker, report }) => {
      const place = placeOf('$.supervision.supervisors', id, 'workers', worker, 'report')
      return report?.kept ? [{ path: place, sha256: report.kept.sha256 }] : []
    }),
  )
