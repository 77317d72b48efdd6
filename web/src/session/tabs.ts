/** The tabs of a session, in their order. A tab reads what it shows with `useViewed()`. */
import type { ComponentType } from 'preact'
import { ContextTab } from './context/context-tab.tsx'
import { ConversationTab } from './conversation/conversation-tab.tsx'
import { ForksTab } from './forks/forks-tab.tsx'
import { LocksTab } from './locks/locks-tab.tsx'
import { LogTab } from './log/log-tab.tsx'
import { StateTab } from './state/state-tab.tsx'
import { TasksTab } from './tasks/tasks-tab.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'
import { TurnsTab } from './turns/turns-tab.tsx'
import { WorkflowTab } from './workflow/workflow-tab.tsx'

export interface TabEntry {
  /** Third part of the path: `/session/ID/log`. */
  readonly at: string
  readonly title: string
  readonly keys: string
  readonly Tab: ComponentType
}

export const TABS: readonly TabEntry[] = [
  { at: 'timeline', title: 'Timeline', keys: 't i', Tab: TimelineTab },
  { at: 'workflow', title: 'Workflow', keys: 't w', Tab: WorkflowTab },
  { at: 'state', title: 'State', keys: 't s', Tab: StateTab },
  { at: 'log', title: 'Log', keys: 't l', Tab: LogTab },
  { at: 'conversation', title: 'Conversation', keys: 't c', Tab: ConversationTab },
  { at: 'tasks', title: 'Tasks', keys: 't a', Tab: TasksTab },
  { at: 'locks', title: 'Locks and handoffs', keys: 't o', Tab: LocksTab },
  { at: 'turns', title: 'Turns', keys: 't u', Tab: TurnsTab },
  { at: 'context', title: 'Context', keys: 't x', Tab: ContextTab },
  { at: 'forks', title: 'Checkpoints and forks', keys: 't f', Tab: ForksTab },
]
