/* What a step hands back is what the work hands back that it did, or took, last: O5 of outputs.ts. */
import { sliceOf, type Tree } from '../../kernel/state/module.ts'
import type { OutputsEvent } from '../outputs/events.ts'
import type { StepRecord } from './events.ts'
import { recordNamed, stepsOf } from './steps.ts'

type Values = Readonly<Record<string, string>>

/** Of work that is taken again: what other work of that name has handed back since is not its own. */
export function handedBack(root: Readonly<Tree>, record: StepRecord, name: string): readonly OutputsEvent[] {
  if (recordNamed(stepsOf(root), name)?.key === record.key) return []
  const now = valuesIn(root)
  const outputs = record.result?.outputs ?? {}
  const then = Object.entries(outputs).map(([each, value]) => [`${name}.${each}`, value] as const)
  const values = Object.fromEntries(then.filter(([each, value]) => !Object.hasOwn(now, each) || now[each] !== value))
  const gone = noMore(root, { ...record, name }, outputs)
  return Object.keys(values).length === 0 ? gone : [...gone, { type: 'output.imported', data: { values, step: null } }]
}

/** What other work of that name has handed back, and this, with `outputs`, does not. */
export function noMore(
  root: Readonly<Tree>,
  { key, name }: Pick<StepRecord, 'key' | 'name'>,
  outputs: Values,
): readonly OutputsEvent[] {
  const own = (full: string): string => full.slice(name.length + 1)
  const left = Object.keys(valuesIn(root)).filter(
    (full) => full.startsWith(`${name}.`) && !Object.hasOwn(outputs, own(full)),
  )
  // Mostly there is none: the ledger is long.
  if (left.length === 0) return []
  const others = Object.values(stepsOf(root)?.ledger ?? {}).filter((each) => each.name === name && each.key !== key)
  const names = left.filter((full) => others.some(({ result }) => Object.hasOwn(result?.outputs ?? {}, own(full))))
  return names.length === 0 ? [] : [{ type: 'output.removed', data: { names } }]
}

const valuesIn = (root: Readonly<Tree>): Values => sliceOf<Values>(root, 'outputs') ?? {}
