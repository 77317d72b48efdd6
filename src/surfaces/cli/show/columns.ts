/** Which members of a list people see, in this order; JSON has them all. Lists that are not here show every member. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'activity.list': ['agent', 'run', 'status', 'cause', 'reason', 'tool', 'tools', 'tokens', 'cost_usd', 'resume'],
  'activity.recent': ['agent', 'kind', 'tool', 'detail', 'at'],
  'task.ready': ['id', 'priority', 'type', 'title', 'epic_id', 'sprint_id', 'attempts'],
  'task.list': ['id', 'status', 'priority', 'title', 'assignee', 'waits_for', 'reason'],
  'dependency.cycles': ['path', 'next', 'because'],
  'epic.list': ['id', 'status', 'title', 'owner', 'tasks', 'completed', 'blocked'],
  'sprint.list': ['id', 'status', 'name', 'epic_id', 'end_date', 'completion_rate', 'velocity'],
  'agent.list': ['id', 'type', 'status', 'task', 'parent', 'tokens', 'health', 'reason', 'cause', 'at'],
  'chat.turns': ['status', 'phase', 'agents', 'missing', 'reason', 'deadline'],
  'chat.unread': ['author', 'at', 'content'],
  'chat.quarantine': ['reason', 'origin', 'excerpt'],
  'pool.list': ['type', 'policy', 'min', 'max', 'running', 'target', 'start', 'stop'],
}
