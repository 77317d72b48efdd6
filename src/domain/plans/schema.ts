import * as z from 'zod/mini'
import { amount, byId, count, maybe, moment, positive, share, text, texts } from '../../kernel/state/shapes.ts'

const plan = {
  id: text,
  epic_id: text,
  name: text,
  status: z.enum(['planning', 'active', 'review', 'completed', 'cancelled']),
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  goals: texts,
  team_assignments: byId(/^[a-z][a-z0-9-]*$/, texts),
  created_at: moment,
  ended_at: z.nullable(moment),
}

const stored_sprint = z.object(plan)

/** As it is shown: with what its tasks say of it. */
const sprint = z.object({
  ...plan,
  task_categories: z.object({ pending: texts, in_progress: texts, completed: texts, blocked: texts }),
  metrics: z.object({ velocity: amount, completion_rate: share, blocked_ratio: share }),
  counts: z.object({ tasks: count, completed: count, blocked: count, remaining: amount }),
})

const epic = z.object({
  id: text,
  title: text,
  description: text,
  status: z.enum(['draft', 'approved', 'in_progress', 'completed', 'cancelled']),
  owner: text,
  sprints: texts,
  features: texts,
  success_criteria: texts,
  timeline: z.object({ estimated_weeks: maybe(positive), actual_weeks: z.nullable(count) }),
  created_at: moment,
  started_at: z.nullable(moment),
})

const rest = {
  past_sprints: z.record(text, stored_sprint),
  epics: byId(/^epic-[a-z0-9-]+$/, epic),
}

export const plansSchema = z.object({ active_sprints: z.array(stored_sprint), ...rest })

/** Derived. */
export const plansDocument = z.object({ active_sprints: z.array(sprint), ...rest })

export const plansParts = { sprint, stored_sprint, epic }
