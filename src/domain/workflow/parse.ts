/* A workflow file into a definition with every default written out: W4 and W6 of definition.ts. */
import type * as z from 'zod/mini'
import { workflowSchema, type Definition, type StateDefinition, type StepDefinition } from './definition.ts'
import { UnknownMembers } from './unknown.ts'

export interface Issue {
  /** Members from the root of the file to the place. */
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly code: 'WORKFLOW_INVALID' | 'WORKFLOW_CYCLE'
}

export type Parsed =
  | { readonly ok: true; readonly definition: Definition }
  | { readonly ok: false; readonly issues: readonly Issue[] }

type Written = z.output<ReturnType<typeof workflowSchema>>
type WrittenState = Written['states'][string]
type WrittenStep = WrittenState['steps'][string]
type Handlers = Readonly<Record<string, WrittenStep>>

/** Shape, and handlers by name; what the parts say about each other is checked by `problems`. */
export function parseDefinition(value: unknown): Parsed {
  const unknown = new UnknownMembers()
  const parsed = workflowSchema().safeParse(value, { error: unknown.words })
  if (parsed.success) {
    const issues = [...namelessIssues(value), ...handlerIssues(parsed.data)]
    return issues.length === 0 ? { ok: true, definition: completed(parsed.data) } : { ok: false, issues }
  }
  const issues = parsed.error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)))
    const members = unknown.of(issue).map(({ member, message }) => invalid([...path, member], message))
    return members.length > 0 ? members : [invalid(path, issue.message)]
  })
  return { ok: false, issues }
}

const invalid = (path: Issue['path'], message: string): Issue => ({ path, message, code: 'WORKFLOW_INVALID' })

/** The only name that a record leaves out without a word. */
const NEVER_A_NAME = '__proto__'

function namelessIssues(value: unknown, path: Issue['path'] = []): readonly Issue[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]): readonly Issue[] =>
    key === NEVER_A_NAME
      ? [invalid([...path, key], 'is no name that may stand here')]
      : namelessIssues(member, [...path, key]),
  )
}

/** W6. */
function handlerIssues({ states, handlers = {} }: Written): readonly Issue[] {
  return Object.entries(states).flatMap(([state, { handler, steps }]): Issue[] => {
    const issue = (message: string): Issue => invalid(['states', state, 'handler'], message)
    if (handler === undefined) return []
    if (typeof handler === 'string' && !Object.hasOwn(handlers, handler))
      return [issue(`handler "${handler}" is missing: nothing in handlers has that name`)]
    return Object.hasOwn(steps, state) ? [issue(`the handler is step "${state}", but there is one of that name`)] : []
  })
}

/** Defaults that depend on the order of the states. */
function completed({ name, goal, initial, terminal, states, handlers = {}, ...rest }: Written): Definition {
  const names = Object.keys(states)
  const last = terminal ?? names.at(-1) ?? ''
  const next = (state: string, at: number): readonly string[] => (state === last ? [] : names.slice(at + 1, at + 2))
  return {
    name,
    goal: goal ?? null,
    initial: initial ?? names[0] ?? '',
    terminal: last,
    ...defined(rest),
    states: Object.fromEntries(
      Object.entries(states).map(([key, each], at) => [key, stateOf(key, each, next(key, at), handlers)]),
    ),
  }
}

function stateOf(name: string, written: WrittenState, follows: readonly string[], handlers: Handlers): StateDefinition {
  const { next: declared = follows, handler, timeout, retries = 0, steps, ...rest } = written
  const { on_failure: failure } = rest
  const own = typeof handler === 'string' ? handlers[handler] : handler
  const all = Object.entries(own === undefined ? steps : { [name]: own, ...steps })
  const filled = all.map(([key, step]): [string, StepDefinition] => [
    key,
    { ...(timeout === undefined ? {} : { timeout_ms: timeout }), ...defined(step), retries: step.retries ?? retries },
  ])
  return {
    ...defined(rest),
    next: failure === undefined || declared.includes(failure) ? declared : [...declared, failure],
    steps: Object.fromEntries(filled),
  }
}

/** A log holds no undefined; what is left out here was optional. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T
