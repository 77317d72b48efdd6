/*
 * Free JSON that users set, patch and delete: everything under `$.data`.
 *
 * T1. Only paths below `$.data` can be written; every other slice belongs to its module.
 * T2. A patch is all or nothing.
 */
import { parsePath } from '../../kernel/path/path.ts'
import type { Container, Edit } from '../../kernel/state/edit.ts'
import { defineModule } from '../../kernel/state/module.ts'
import { removeAt, setAt } from '../../kernel/state/write-path.ts'
import type { DataChange, DataEvent } from './events.ts'

type DataSlice = Record<string, unknown>

export const dataModule = defineModule<DataSlice, DataEvent>({
  slice: 'data',
  initial: () => ({}),
  evolve: {
    'data.set': (_slice, { path, value }, edit, { root }) => setAt(root, parsePath(path), edit.own(value), edit),
    'data.deleted': (_slice, { path }, edit, { root }) => removeAt(root, parsePath(path), edit),
    'data.patched': (_slice, { changes }, edit, { root }) => {
      for (const change of changes) apply(root, change, edit)
    },
  },
})

function apply(root: Container, change: DataChange, edit: Edit): void {
  const keys = parsePath(change.path)
  if (change.kind === 'set') setAt(root, keys, edit.own(change.value), edit)
  else removeAt(root, keys, edit)
}
