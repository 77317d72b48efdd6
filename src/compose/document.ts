import { placesOf } from '../kernel/document/view.ts'

/** What is derived when somebody reads it, by where it stands in the document. */
export const places = placesOf(
  {
    observability: async () => (await import('../domain/observability/document.ts')).observability,
    'session.updated_at': async () => (await import('../domain/session/document.ts')).lastCommit,
    'session.sync': async () => (await import('../domain/session/document.ts')).sync,
    'session.lifecycle.last_activity': async () => (await import('../domain/session/document.ts')).lastCommit,
    'session.user_context.workspace_path': async () => (await import('../domain/session/document.ts')).workspacePath,
    'execution.workflows.active_sprints': async () => (await import('../domain/plans/document.ts')).activeSprints,
    'communication.message_queues': async () => (await import('../domain/messages/document.ts')).queuesView,
    'communication.channels': async () => (await import('../domain/messages/document.ts')).channelsView,
    'communication.coordination.locks': async () => (await import('../domain/locks/document.ts')).lockView,
    'communication.coordination.dependencies': async () => (await import('../domain/tasks/document.ts')).dependencies,
    persistence: async () => (await import('../domain/persistence/document.ts')).persistence,
  },
  {
    outer: { 'session.lifecycle.expiry': async () => (await import('../domain/session/document.ts')).expiry },
    first: ['session', 'organization', 'execution', 'communication', 'observability', 'persistence'],
  },
)
