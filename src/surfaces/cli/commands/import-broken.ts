/* Files that break rules of their own kind: what is said of them, beside those that can be taken over. */
import { EngineError } from '../../../kernel/error.ts'
import type { Detected } from '../../../kernel/exchange/importer.ts'
import type { Context } from '../context/context.ts'
import { plain } from '../show/text.ts'

const MOST_SAID = 20
const LENIENT = 'correct what is named, or take it as it is with --lenient'
const CORRECT = 'correct the fields that are named'

const unreadableIn = ({ unreadable = [] }: Detected): readonly string[] => unreadable
const brokenIn = ({ violations = [] }: Detected): readonly string[] => violations

export const isBroken = (plan: Detected, lenient: boolean): boolean =>
  unreadableIn(plan).length > 0 || (!lenient && brokenIn(plan).length > 0)

/** For one that is all there is. */
export function brokenError(plan: Detected): EngineError {
  const [file = ''] = plan.sources.map(({ path }) => path)
  const unreadable = unreadableIn(plan)
  const violations = brokenIn(plan)
  return unreadable.length > 0
    ? new EngineError('INPUT_INVALID', `${file} cannot be read:\n${indented(unreadable)}`, {
        hint: CORRECT,
        details: { unreadable },
      })
    : new EngineError('INPUT_INVALID', `${file} breaks its own rules:\n${indented(violations)}`, {
        hint: LENIENT,
        details: { violations },
      })
}

const indented = (lines: readonly string[]): string => lines.map((each) => `  ${each}`).join('\n')

export const brokenOf = (broken: readonly Detected[]) =>
  broken.map((plan) => ({
    kind: plan.kind,
    files: plan.sources.map(({ path }) => path),
    unreadable: unreadableIn(plan),
    violations: brokenIn(plan),
  }))

export function brokenText({ paint }: Context, broken: readonly Detected[]): readonly string[] {
  return broken.flatMap((plan) => {
    const isUnreadable = unreadableIn(plan).length > 0
    const said = isUnreadable ? unreadableIn(plan) : brokenIn(plan)
    const files = plan.sources.map(({ path }) => plain(path)).join(', ')
    return [
      `${paint.bold(files)}  ${plan.kind}  ${paint.red(isUnreadable ? 'refused: it cannot be read' : 'refused: it breaks its own rules')}`,
      ...said.slice(0, MOST_SAID).map((each) => `  ${paint.yellow('!')} ${plain(each)}`),
      ...(said.length > MOST_SAID ? [`  ${paint.dim(`and ${said.length - MOST_SAID} more; --json has all`)}`] : []),
      `  next: ${isUnreadable ? CORRECT : LENIENT}`,
    ]
  })
}
