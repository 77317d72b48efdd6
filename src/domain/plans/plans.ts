/*
 * Epics and the sprints that carry them out. How far they are is never stored: it is derived from their tasks (views.ts).
 *
 *   epic    draft ──approve──► approved ──start──► in_progress ──complete──► completed
 *   sprint  planning ──start──► active ──review──► review ──complete──► completed
 *                                  ◄──start──────────┘
 *   both    ── cancel, from any that has not ended ──► cancelled
 *
 * N1. Only the moves above; the status it has already is no move.
 * N2. An epic is not completed while one of its sprints has not ended, nor a sprint or a task added to one that has.
 * N3. A sprint ends no earlier than it begins.
 * N4. `active_sprints` holds what has not ended, `past_sprints` the rest; no sprint is in both.
 * N5. Nothing is put away that the progress of an epic or a sprint is made of, as long as that has not ended.
 * N6. What was completed counts on when it has been put away.
 */
import type { Edit } from '../../kernel/state/edit.ts'
import { defineModule, sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { Epic, PlanEvent, PlansSlice, Sprint } from './events.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

export const plansModule = defineModule<PlansSlice, PlanEvent>({
  slice: 'execution.workflows',
  initial: () => ({ active_sprints: [], past_sprints: {}, epics: {} }),
  evolve: {
    'epic.added': (slice, { estimated_weeks, ...data }, edit, { at }) =>
      edit.set(slice.epics, data.id, {
        ...edit.own(data),
        status: 'draft',
        sprints: [],
        timeline: { ...(estimated_weeks === undefined ? {} : { estimated_weeks }), actual_weeks: null },
        created_at: at,
        started_at: null,
      }),
    'epic.updated': (slice, { id, estimated_weeks, ...data }, edit) =>
      changeEpic(slice, id, edit, ({ timeline }) => ({
        ...edit.own(data),
        timeline: { ...timeline, ...(estimated_weeks === undefined ? {} : { estimated_weeks }) },
      })),
    'epic.moved': (slice, { id, status }, edit, { at }) =>
      changeEpic(slice, id, edit, (epic) => ({
        status,
        started_at: status === 'in_progress' ? at : epic.started_at,
        timeline: status === 'completed' ? { ...epic.timeline, actual_weeks: weeksTo(epic, at) } : epic.timeline,
      })),
    'sprint.added': (slice, data, edit, { at }) => {
      const fresh = { status: 'planning', team_assignments: {}, created_at: at, ended_at: null } as const
      edit.set(asRecord(slice), 'active_sprints', [...slice.active_sprints, { ...edit.own(data), ...fresh }])
      changeEpic(slice, data.epic_id, edit, ({ sprints }) => ({ sprints: [...sprints, data.id] }))
    },
    'sprint.updated': (slice, { id, ...data }, edit) => changeSprint(slice, id, edit, () => edit.own(data)),
    'sprint.moved': (slice, { id, status }, edit, { at }) => {
      const sprint = sprintOf(slice, id)
      if (status !== 'completed' && status !== 'cancelled') return changeSprint(slice, id, edit, () => ({ status }))
      if (sprint === undefined) return
      edit.set(
        asRecord(slice),
        'active_sprints',
        slice.active_sprints.filter((each) => each.id !== id),
      )
      edit.set(slice.past_sprints, id, { ...sprint, status, ended_at: at })
    },
    'sprint.team-assigned': (slice, { id, team, items }, edit) =>
      changeSprint(slice, id, edit, ({ team_assignments: before }) => ({
        team_assignments: { ...before, [team]: edit.own(items) },
      })),
  },
})

export const plansOf = (root: Readonly<Tree>): PlansSlice =>
  sliceOf<PlansSlice>(root, 'execution.workflows') ?? { active_sprints: [], past_sprints: {}, epics: {} }

export const epicOf = ({ epics }: PlansSlice, id: string): Epic | undefined =>
  Object.hasOwn(epics, id) ? epics[id] : undefined

export function sprintOf({ active_sprints, past_sprints }: PlansSlice, id: string): Sprint | undefined {
  const past = Object.hasOwn(past_sprints, id) ? past_sprints[id] : undefined
  return active_sprints.find((sprint) => sprint.id === id) ?? past
}

function changeEpic(slice: PlansSlice, id: string, edit: Edit, update: (epic: Epic) => Partial<Epic>): void {
  const epic = epicOf(slice, id)
  if (epic !== undefined) edit.set(slice.epics, id, { ...epic, ...update(epic) })
}

function changeSprint(slice: PlansSlice, id: string, edit: Edit, update: (sprint: Sprint) => Partial<Sprint>): void {
  const sprints = slice.active_sprints.map((sprint) => (sprint.id === id ? { ...sprint, ...update(sprint) } : sprint))
  edit.set(asRecord(slice), 'active_sprints', sprints)
}

/** Begun weeks. */
const weeksTo = ({ started_at, created_at }: Epic, at: string): number =>
  Math.ceil((Date.parse(at) - Date.parse(started_at ?? created_at)) / WEEK_MS)

function asRecord(slice: PlansSlice): Record<string, unknown> {
  // The slice is plain JSON; its interface only names the members.
  return slice as unknown as Record<string, unknown>
}
