/*
 * Setting the state back: the difference between now and then, as changes that a commit can carry.
 *
 * R1. `session`, `steps`, `communication` and `execution.agents` stay: who is there and holds what, what was paid for and
 *     what was said cannot be undone.
 */
import { diff } from '../../kernel/diff.ts'
import type { Container, Edit } from '../../kernel/edit.ts'
import type { Tree } from '../../kernel/module.ts'
import { formatPath, parsePath } from '../../kernel/path.ts'
import { removeAt, setAt } from '../../kernel/write-path.ts'

export type Change =
  | { readonly kind: 'set'; readonly path: string; readonly value: unknown }
  | { readonly kind: 'removed'; readonly path: string }

const KEPT: ReadonlySet<string> = new Set(['session', 'steps', 'communication'])

export function changesBack(now: Readonly<Tree>, then: Readonly<Tree>): readonly Change[] {
  const changes = diff(free(now), free(then)).map((change): Change => {
    const path = formatPath(change.path)
    return change.kind === 'removed' ? { kind: 'removed', path } : { kind: 'set', path, value: change.after }
  })
  // Items are removed from the end of a list first, so that the places before them stay.
  const removed = changes.filter(({ kind }) => kind === 'removed').reverse()
  return [...removed, ...changes.filter(({ kind }) => kind === 'set')]
}

export function applyBack(root: Container, changes: readonly Change[], edit: Edit): void {
  for (const change of changes) {
    const keys = parsePath(change.path)
    if (change.kind === 'removed') removeAt(root, keys, edit)
    else setAt(root, keys, edit.own(change.value), edit)
  }
}

function free(tree: Readonly<Tree>): Tree {
  const slices = Object.fromEntries(Object.entries(tree).filter(([slice]) => !KEPT.has(slice)))
  const { execution } = tree
  // There in both trees, even when empty: so what is different lies below it, and the agents beside that stay.
  return { ...slices, execution: isTree(execution) ? without(execution, 'agents') : {} }
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

const without = (tree: Tree, name: string): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([key]) => key !== name))
