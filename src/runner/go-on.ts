/* What to type to go on with steps that a dead runner left: the command that ran them, again. */
import type { SessionSlice } from '../domain/session/events.ts'
import type { StepRecord } from '../domain/steps/events.ts'
import { stepsOf } from '../domain/steps/steps.ts'
import { isHandler } from '../domain/workflow/events.ts'
import { isDefined, workflowOf } from '../domain/workflow/workflow.ts'
import type { ProcessRef, Verdict } from '../kernel/care/recovery.ts'
import type { Tree } from '../kernel/state/module.ts'
import { quoted } from '../kernel/text/shell-word.ts'
import { isNamedForCommand } from './command-session.ts'
import { stepsIn } from './context.ts'

/** Begun under a lease, and not told to have ended. */
export const leftSteps = (root: Readonly<Tree>): readonly StepRecord[] =>
  running(root).filter((step) => step.state !== null)

/** The command of a transition is gone on with by that, and of one that is over by nothing. */
const running = (root: Readonly<Tree>): readonly StepRecord[] =>
  Object.values(stepsOf(root)?.ledger ?? {}).filter(
    ({ status, name, state }) => status === 'running' && !(state === null && isHandler(name)),
  )

export interface DeadOnce {
  readonly record: StepRecord
  readonly reasons: readonly string[]
}

/** Commands run by `once`, which holds no lease, whose process is gone. */
export function deadOnces(root: Readonly<Tree>, judge: (process: ProcessRef) => Verdict): readonly DeadOnce[] {
  return running(root).flatMap((record) => {
    const runner = record.state === null ? record.attempt?.worker?.runner : undefined
    const verdict = runner === undefined || runner === null ? undefined : judge(runner)
    return verdict?.kind === 'dead' ? [{ record, reasons: verdict.reasons }] : []
  })
}

/** One for all steps of the workflow, else for the single command; then one for each `once`. */
export function waysOn(root: Readonly<Tree>, session: string, onces: readonly DeadOnce[]): readonly string[] {
  const [step] = leftSteps(root)
  return [...(step === undefined ? [] : [step]), ...onces.map(({ record }) => record)].map((each) =>
    goOn(root, session, each),
  )
}

/** A runner that was lost between two attempts, as while it waited for a retry, leaves none of them under way. */
export function hasStepsAhead(root: Readonly<Tree>): boolean {
  if (!isDefined(root)) return false
  const { definition, completed_at } = workflowOf(root)
  return completed_at === null && !stepsIn(definition).next().done
}

/** What a single command had finished where its runner was lost before its session ended: run again it is kept, and that ends. */
export function endsBy(root: Readonly<Tree>, { id, name }: Pick<SessionSlice, 'id' | 'name'>): string | undefined {
  if (isDefined(root) || !isNamedForCommand(id, name)) return undefined
  const step = Object.values(stepsOf(root)?.ledger ?? {}).find(({ state }) => state !== null)
  return step && goOn(root, name, step)
}

function goOn(root: Readonly<Tree>, session: string, { name, state, command, repeatable }: StepRecord): string {
  const again = ['steadfold', ...(state === null ? ['once', name] : ['run']), '--session', session]
  const definition = isDefined(root) ? workflowOf(root).definition : undefined
  const isStep = definition !== undefined && [...stepsIn(definition)].some((step) => step.name === name)
  const argv = typeof command === 'string' ? ['sh', '-c', command] : (command ?? [])
  const own = state !== null && isStep ? [] : [...(repeatable ? ['--repeatable'] : []), '--', ...argv]
  return [...again, ...own].map(quoted).join(' ')
}
