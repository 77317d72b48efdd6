import { refuse, type Refusal } from '../../kernel/decision.ts'
import { pathHere, rootsOf } from '../../kernel/exchange/roots.ts'
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { StepsSlice, StepStatus } from '../steps/events.ts'
import { problems, type Problem } from './check.ts'
import type { Definition } from './definition.ts'
import { mayRetry } from './events.ts'
import { parseDefinition } from './parse.ts'
import { allowedFrom, hasSteps, isDefined, stateOf, workflowOf } from './workflow.ts'

type State = Readonly<Tree>

export interface Examined {
  /** Undefined when the shape itself is wrong. */
  readonly definition: Definition | undefined
  readonly report: readonly Problem[]
}

/** Everything that can be said about a definition without running it. */
export function examine(value: unknown): Examined {
  const parsed = parseDefinition(value)
  if (!parsed.ok)
    return { definition: undefined, report: parsed.issues.map((issue) => ({ ...issue, severity: 'error' })) }
  return { definition: parsed.definition, report: problems(parsed.definition) }
}

export function refuseProblems(report: readonly Problem[], where: (problem: Problem) => string = placeOf): Refusal {
  const errors = report.filter(({ severity }) => severity === 'error')
  const code = errors.some((problem) => problem.code === 'WORKFLOW_CYCLE') ? 'WORKFLOW_CYCLE' : 'WORKFLOW_INVALID'
  const warnings = report.filter(({ severity }) => severity === 'warning')
  const said = (problem: Problem) => `${where(problem)}: ${problem.message}`
  return refuse(code, [...errors.map(said), ...warnings.map((each) => `warning: ${said(each)}`)].join('\n'), {
    hint:
      code === 'WORKFLOW_CYCLE'
        ? 'correct what is named, then try again'
        : 'correct what is named, then try again; steadfold schema workflow prints the format',
    details: { problems: errors.map(({ path, message }) => ({ path: path.join('.'), message })) },
  })
}

const placeOf = ({ path }: Problem): string => (path.length === 0 ? 'workflow' : path.join('.'))

export function showWorkflow(root: State) {
  const workflow = workflowOf(root)
  const { name, definition, current, terminal, scope, folder, pass, completed_at, intent, completed, history } =
    workflow
  return {
    name,
    goal: definition.goal,
    defined: isDefined(root),
    current,
    terminal,
    scope,
    folder: folder === null ? null : pathHere(rootsOf(root), folder),
    pass,
    completed_at,
    finished: current === terminal,
    advisory: definition.advisory === true,
    intent,
    error: workflow.error ? { ...workflow.error, wants_approval: !mayRetry(workflow.error) } : null,
    allowed: allowedFrom(workflow),
    completed,
    violations: workflow.violations ?? [],
    history,
    states: Object.keys(definition.states),
  }
}

export function nextStates(root: State) {
  const workflow = workflowOf(root)
  return { current: workflow.current, intent: workflow.intent?.to ?? null, allowed: allowedFrom(workflow) }
}

export function stateRows(root: State) {
  const { definition, current, completed, entries, intent, terminal } = workflowOf(root)
  return Object.entries(definition.states).map(([state, { next, mode, steps }]) => ({
    state,
    status:
      state === current
        ? 'current'
        : intent?.to === state
          ? 'intended'
          : completed.includes(state)
            ? 'completed'
            : 'open',
    entered: Object.hasOwn(entries, state) ? (entries[state] ?? 0) : 0,
    terminal: state === terminal,
    mode,
    steps: Object.keys(steps).length,
    next,
  }))
}

/** Whether work would go on, where, and what stands in the way. */
export function resumeCheck(root: State) {
  const { current, terminal, intent, definition, error, completed_at } = workflowOf(root)
  const failed = error ? error.last_error : null
  const steps = statuses(root, Object.keys(stateOf(definition, current)?.steps ?? {}))
  const counts = { finished: 0, running: 0, failed: 0, parked: 0, ready: 0, open: 0 }
  for (const status of steps) counts[status] += 1
  const gates = completed_at === null ? gatesOf(root, current) : []
  const blocked = counts.parked > 0 || gates.includes('parked')
  const finished = current === terminal && counts.finished === steps.length && gates.length === 0
  return {
    resumable: isDefined(root) && !finished,
    finished,
    state: current,
    terminal,
    intent,
    error: error ?? null,
    steps: counts,
    blocked,
    next: finished
      ? null
      : blocked
        ? 'steadfold step list --status parked'
        : failed !== null
          ? 'steadfold workflow retry'
          : intent !== null
            ? `steadfold workflow transition ${intent.to} --resume`
            : wayOn(definition, allowedFrom(workflowOf(root))[0]),
  }
}

/** Those that were asked on the way into the state. */
const gatesOf = (root: State, current: string): readonly StepStatus[] =>
  Object.values(sliceOf<StepsSlice>(root, 'steps')?.ledger ?? {})
    .filter(({ command, state }) => command === null && state === current)
    .map(({ status }) => status)

/** What has no steps is moved by whoever does the work. */
function wayOn(definition: Definition, next: string | undefined): string | null {
  if (hasSteps(definition)) return 'steadfold run'
  return next === undefined ? null : `steadfold workflow transition ${next}`
}

function statuses(root: State, names: readonly string[]): readonly (StepStatus | 'open')[] {
  const slice = sliceOf<StepsSlice>(root, 'steps')
  return names.map((name) => {
    const key = slice !== undefined && Object.hasOwn(slice.names, name) ? slice.names[name] : undefined
    return (key === undefined ? undefined : slice?.ledger[key]?.status) ?? 'open'
  })
}
