/* What doctor says of the stores of agent CLIs. */
import type { Check } from '../answer/check.ts'
import type { Context } from '../context/context.ts'
import { count } from '../show/text.ts'
import type { FindingKind, StoreReport } from './finding.ts'
import { lookAtStores } from './stores.ts'

const SAID: Readonly<Record<FindingKind, string>> = {
  torn: 'torn at the end',
  twice: 'open twice',
  parent: 'cut off from a parent',
  old: 'about to be deleted',
}

/** A line a store that is there. */
export const agentStores = (context: Pick<Context, 'env'>, now: number): readonly Check[] =>
  lookAtStores(context, now).map(checkOf)

function checkOf({ name, files, sessions, whole, unread, findings }: StoreReport): Check {
  if (unread !== undefined)
    return {
      name,
      status: 'warn',
      found: `seen, not read: ${unread}`,
      hint: `steadfold rescue --all copies ${files[0] ?? 'it'}`,
    }
  const kinds = Object.entries(SAID).flatMap(([kind, said]) => {
    const n = new Set(findings.filter((each) => each.kind === kind).map(({ session }) => session)).size
    return n === 0 ? [] : [`${n} ${said}`]
  })
  const read = whole === sessions ? '' : `, ${whole} read whole`
  return {
    name,
    status: findings.length === 0 ? 'ok' : 'warn',
    found: [`${count(sessions, 'session')}${read}`, ...kinds].join(', '),
    ...(findings.length === 0
      ? {}
      : { hint: 'steadfold doctor --json lists them; steadfold rescue copies them', findings }),
  }
}
