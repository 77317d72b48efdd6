export { openWorkspace, type OpenOptions, type OpenSession } from './compose.ts'
export type { OperationCalls } from './compose/operations.ts'
export type { Workspace } from './kernel/workspace.ts'
export type { CreateSession } from './kernel/create-session.ts'
export type { At } from './kernel/reading.ts'
export type { Session } from './kernel/session.ts'
export type { CommitsOptions } from './kernel/log/commits.ts'
export type { Accepted, Answer, RunOptions } from './kernel/operation/answer.ts'
export type { Commit, Event } from './kernel/log/commit.ts'
export type { Refusal } from './kernel/decision.ts'
export type { QueryNode } from './kernel/path/query.ts'
export type { SomeSettings } from './kernel/kernel.ts'
export { EngineError, ERROR_CODES, type ErrorCode } from './kernel/error.ts'
export { simulateSchedule } from './runner/schedule.ts'
export type { SessionState } from './state-schema.ts'
export type { WorkflowInput } from './domain/workflow/definition.ts'
export { openRunner } from './compose.ts'
export { serve, type ServeOptions } from './serve.ts'
export type { Daemon } from './surfaces/http/parts.ts'
export { recovery, retention, type RetentionOptions } from './care.ts'
export { past } from './past.ts'
export { holdLock, type HeldLock } from './waiting/lock.ts'
export type { LockRequest } from './waiting/queue.ts'
export { waitForTurn, type Turn, type TurnRequest } from './waiting/turn.ts'
export { receiveMessages, type InboxRequest } from './waiting/inbox.ts'
export type { Between } from './kernel/history/difference.ts'
export type { Policy, Retained, RetentionPlan, RetentionStep } from './kernel/care/retention.ts'
export type { RecoveryPlan } from './kernel/care/recovery.ts'
export type {
  Once,
  OnceResult,
  Resumed,
  RunCommand,
  RunEvent,
  Runner,
  RunOptions as RunnerOptions,
  RunResult,
  RunWorkflow,
  TakeSteps,
} from './kernel/work/runner.ts'
