/* S2: what a supervisor is asked to do, checked and laid out. */
import { refuse, type Refusal } from '../../kernel/decision.ts'
import { firstClash, type Claimer, type Clash } from '../../kernel/work/claims.ts'
import { findCycle, waves } from '../../kernel/work/graph.ts'
import type { Planned, SupervisorKind, SupervisorRecord } from './events.ts'

export const TEST_STAGES = ['generation', 'execution', 'validation'] as const

export interface Plan {
  readonly kind: SupervisorKind
  readonly workers: readonly Planned[]
  /** In order; only for testing. */
  readonly stages: readonly string[]
}

/** Undefined when it can be worked on beside what is under way. */
export function refusePlan(plan: Plan, underWay: readonly SupervisorRecord[]): Refusal | undefined {
  return refuseNames(plan) ?? refuseCycle(plan) ?? refuseClaims(plan, underWay)
}

export function layOut({ kind, workers, stages }: Plan): readonly (readonly string[])[] {
  if (kind !== 'testing') return waves(workers.map(({ id, needs }) => ({ name: id, needs })))
  const inStage = (stage: string) => workers.filter((worker) => worker.stage === stage).map(({ id }) => id)
  return stages.map(inStage)
}

function refuseNames({ kind, workers, stages }: Plan): Refusal | undefined {
  const ids = new Set<string>()
  for (const { id, stage } of workers) {
    if (ids.has(id)) return invalid(`two workers are called "${id}"`, 'give each a name of its own')
    ids.add(id)
    if (kind !== 'testing' && stage !== null)
      return invalid(`worker "${id}" has a stage, but only testing has stages`, 'leave the stage out, or use needs')
    if (kind === 'testing' && !stages.includes(stage ?? ''))
      return invalid(
        `worker "${id}" is in ${stage === null ? 'no stage' : `stage "${stage}"`}; the stages are ${stages.join(', ')}`,
        `give it a stage: --stage ${id}:${stages[0] ?? ''}`,
      )
  }
  for (const { id, needs } of workers) {
    const unknown = needs.find((need) => !ids.has(need))
    if (unknown !== undefined) return invalid(`worker "${id}" needs "${unknown}", which is not there`, 'name a worker')
    if (kind === 'research' && needs.length > 0)
      return invalid(`worker "${id}" needs ${needs.join(', ')}, but research works all at once`, 'use implementation')
  }
  return undefined
}

/** A worker of an earlier stage cannot need one of a later. */
function refuseCycle({ workers, stages }: Plan): Refusal | undefined {
  const stageOf = new Map(workers.map(({ id, stage }) => [id, stages.indexOf(stage ?? '')]))
  for (const { id, needs } of workers) {
    const late = needs.find((need) => (stageOf.get(need) ?? 0) > (stageOf.get(id) ?? 0))
    if (late !== undefined) return invalid(`worker "${id}" needs "${late}" of a later stage`, 'turn the need around')
  }
  const cycle = findCycle(new Map(workers.map(({ id, needs }) => [id, needs])))
  if (cycle === undefined) return undefined
  return refuse('DEPENDENCY_CYCLE', `workers need each other: ${cycle.join(' → ')}`, {
    hint: 'take one of these needs away',
    details: { cycle },
  })
}

function refuseClaims({ kind, workers }: Plan, underWay: readonly SupervisorRecord[]): Refusal | undefined {
  const own = workers.map(({ id, needs, files, stage }): Claimer => ({
    name: id,
    needs,
    files,
    lane: kind === 'testing' ? (stage ?? undefined) : undefined,
  }))
  const clash = firstClash(own) ?? clashOutside(own, underWay)
  return clash && claimed(clash, 'let one need the other, or give the files to one of them')
}

/** S2, of workers that are opened again: what they claimed may have been given away since. */
export function refuseReopened(
  workers: readonly Planned[],
  underWay: readonly SupervisorRecord[],
): Refusal | undefined {
  const own = workers.map(({ id, files }): Claimer => ({ name: id, needs: [], files }))
  const clash = clashOutside(own, underWay)
  return clash && claimed(clash, `try "${clash.second}" again when "${clash.first}" is over`)
}

function claimed({ first, second, file, other }: Clash, hint: string): Refusal {
  const same = file === other ? `"${file}"` : `"${file}" and "${other}"`
  return refuse('FILES_CLAIMED', `"${first}" and "${second}" may be at work at the same time and both claim ${same}`, {
    hint,
    details: { workers: [first, second], files: [file, other] },
  })
}

/** Others that are under way go on beside all of these. */
function clashOutside(own: readonly Claimer[], underWay: readonly SupervisorRecord[]) {
  const others = underWay.flatMap(({ id, workers }) =>
    Object.values(workers)
      .filter(({ status }) => status === 'pending' || status === 'running')
      .map((worker): Claimer => ({ name: `${id}:${worker.id}`, needs: [], files: worker.files })),
  )
  for (const claimer of own) {
    for (const other of others) {
      const clash = firstClash([other, { ...claimer, lane: undefined }])
      if (clash !== undefined) return clash
    }
  }
  return undefined
}

const invalid = (message: string, hint: string): Refusal => refuse('INPUT_INVALID', message, { hint })
