import * as z from 'zod/mini'
import { byId, count, flag, maybe, positive, text, texts } from '../../kernel/state/shapes.ts'

const team = z.object({
  name: text,
  orchestrator: text,
  members: z.array(
    z.object({
      agent_id: text,
      role: text,
      capacity: positive,
      skills: maybe(texts),
      status: maybe(z.enum(['available', 'busy', 'offline'])),
    }),
  ),
  settings: maybe(
    z.object({ max_parallel: maybe(positive), require_approval: maybe(flag), auto_scaling: maybe(flag) }),
  ),
})

const project = z.object({
  id: text,
  name: text,
  status: z.enum(['active', 'suspended', 'completed']),
  teams_assigned: texts,
  repository: z.object({
    main_branch: maybe(text),
    current_branch: maybe(text),
    worktrees: z.record(text, text),
  }),
})

export const organizationParts = { team, project }

export const organizationSchema = z.object({
  teams: byId(/^[a-z][a-z0-9-]*$/, team),
  projects: byId(/^[a-z0-9-]+$/, project),
  global_settings: z.object({
    token_budget: maybe(count),
    time_budget_minutes: maybe(count),
    max_concurrent_agents: maybe(z.int().check(z.minimum(1), z.maximum(20))),
    max_delegation_depth: maybe(count),
  }),
})
