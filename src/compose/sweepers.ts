import { activitySweeper } from '../domain/activity/sweep.ts'
import { agentsSweeper } from '../domain/agents/sweep.ts'
import { locksSweeper } from '../domain/locks/sweep.ts'
import { messagesSweeper } from '../domain/messages/sweep.ts'
import { supervisionSweeper } from '../domain/supervision/sweep.ts'
import { tasksSweeper } from '../domain/tasks/sweep.ts'
import { turnsSweeper } from '../domain/turns/sweep.ts'
import type { Sweeper } from '../kernel/care/recovery.ts'

/** What recovery gives back and tidying drops, in the order in which a commit tells it. */
export const sweepers: readonly Sweeper[] = [
  agentsSweeper,
  tasksSweeper,
  supervisionSweeper,
  locksSweeper,
  messagesSweeper,
  turnsSweeper,
  activitySweeper,
]
