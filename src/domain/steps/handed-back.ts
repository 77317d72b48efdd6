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
  const now = valuesIn(root)
  const names = new Set<string>()
  for (const other of Object.values(stepsOf(root)?.ledger ?? {})) {
    if (other.name !== name || other.key === key) continue
    for (const each of Object.keys(other.result?.outputs ?? {}))
      if (!Object.hasOwn(outputs, each) && Object.hasOwn(now, `${name}.${each}`)) names.add(`${name}.${each}`)
  }
  return names.size === 0 ? [] : [{ type: 'output.removed', data: { names: [...names] } }]
}

const valuesIn = (root: Readonly<Tree>): Values => sliceOf<Values>(root, 'outputs') ?? {}
