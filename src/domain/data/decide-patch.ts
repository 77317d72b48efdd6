import { accept, refuse, type Accepted, type Refusal } from '../../kernel/decision.ts'
import { diff } from '../../kernel/history/diff.ts'
import { checkJson } from '../../kernel/json/json.ts'
import { formatPath } from '../../kernel/path/path.ts'
import { copyJson } from '../../kernel/state/edit.ts'
import type { Tree } from '../../kernel/state/module.ts'
import type { DataChange, DataEvent } from './events.ts'
import { applyPatch, type PatchOperation } from './patch.ts'
import { parsePointer } from './pointer.ts'

/** T1, T2: tests may look anywhere, changes are below $.data. */
export function decidePatch(
  state: Readonly<Tree>,
  { patch }: { readonly patch: readonly PatchOperation[] },
): Accepted<DataEvent> | Refusal {
  for (const operation of patch) {
    const outside = changedBy(operation).find((pointer) => !isBelowData(pointer))
    if (outside !== undefined) return notWritable(outside)
    if (operation.value !== undefined) checkJson(operation.value)
  }
  const before: Readonly<Tree> = { ...state, data: state['data'] ?? {} }
  // A patch of a document with members gives a document with members.
  const after = applyPatch(before, patch) as Readonly<Tree>
  const changes = changesBetween(before['data'], after['data'])
  return changes.length === 0 ? accept() : accept({ type: 'data.patched', data: { changes } })
}

function changedBy({ op, path, from }: PatchOperation): readonly string[] {
  if (op === 'test') return []
  return op === 'move' && from !== undefined ? [path, from] : [path]
}

function isBelowData(pointer: string): boolean {
  const [slice, ...rest] = parsePointer(pointer)
  return slice === 'data' && rest.length > 0
}

const notWritable = (pointer: string): Refusal =>
  refuse('PATH_NOT_WRITABLE', `"${pointer}" cannot be changed: only what is below /data is free to write`, {
    hint: 'begin the path with /data/',
  })

/** The patched document shares what it did not touch with the live state; an event must not. Removals come first and from the end of a list, so that the places before them stay. */
function changesBetween(before: unknown, after: unknown): readonly DataChange[] {
  const changes = diff(before, after).map(({ kind, path, ...values }): DataChange => {
    const place = formatPath(['data', ...path])
    return kind === 'removed'
      ? { kind, path: place }
      : { kind: 'set', path: place, value: 'after' in values ? copyJson(values.after) : null }
  })
  return [
    ...changes.filter(({ kind }) => kind === 'removed').reverse(),
    ...changes.filter(({ kind }) => kind === 'set'),
  ]
}
