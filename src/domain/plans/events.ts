export type SprintStatus = 'planning' | 'active' | 'review' | 'completed' | 'cancelled'
export type EpicStatus = 'draft' | 'approved' | 'in_progress' | 'completed' | 'cancelled'

export interface SprintPlan {
  readonly name: string
  /** ISO 8601, without a time. */
  readonly start_date: string
  readonly end_date: string
  readonly goals: readonly string[]
}

export interface Sprint extends SprintPlan {
  readonly id: string
  readonly epic_id: string
  readonly status: SprintStatus
  /** Team -> its agents or tasks. */
  readonly team_assignments: Readonly<Record<string, readonly string[]>>
  readonly created_at: string
  readonly ended_at: string | null
}

export interface EpicPlan {
  readonly title: string
  readonly description: string
  readonly owner: string
  readonly features: readonly string[]
  readonly success_criteria: readonly string[]
}

export interface Timeline {
  readonly estimated_weeks?: number
  /** Begun weeks from its start to its end; null before. */
  readonly actual_weeks: number | null
}

export interface Epic extends EpicPlan {
  readonly id: string
  readonly status: EpicStatus
  /** Ids, in the order in which they were added. */
  readonly sprints: readonly string[]
  readonly timeline: Timeline
  readonly created_at: string
  readonly started_at: string | null
}

export type PlanEvent =
  | {
      readonly type: 'epic.added'
      readonly data: EpicPlan & { readonly id: string; readonly estimated_weeks?: number }
    }
  | {
      readonly type: 'epic.updated'
      readonly data: Partial<EpicPlan> & { readonly id: string; readonly estimated_weeks?: number }
    }
  | {
      readonly type: 'epic.moved'
      readonly data: { readonly id: string; readonly status: EpicStatus; readonly reason: string | null }
    }
  | { readonly type: 'sprint.added'; readonly data: SprintPlan & { readonly id: string; readonly epic_id: string } }
  | { readonly type: 'sprint.updated'; readonly data: Partial<SprintPlan> & { readonly id: string } }
  | {
      readonly type: 'sprint.moved'
      readonly data: { readonly id: string; readonly status: SprintStatus; readonly reason: string | null }
    }
  | {
      readonly type: 'sprint.team-assigned'
      readonly data: { readonly id: string; readonly team: string; readonly items: readonly string[] }
    }

export interface PlansSlice {
  /** Those that have not ended, in the order in which they were added. */
  active_sprints: readonly Sprint[]
  past_sprints: Record<string, Sprint>
  epics: Record<string, Epic>
}
