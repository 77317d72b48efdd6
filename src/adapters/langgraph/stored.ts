/* What the checkpointer keeps of one thread and namespace, and what follows from it. */
import { compareWritesSortKeys, writesSortKey } from '@langchain/langgraph-checkpoint'
import type { Kept } from '../shelf.ts'

/** A value as the serializer wrote it. */
export type Dumped = Kept & { readonly type: string; readonly encoding: 'utf8' | 'base64' }

export interface StoredCheckpoint {
  /** Without the values of channels. */
  readonly checkpoint: Dumped
  readonly metadata: Dumped
  readonly parent?: string
  // By the names of channels, below which a text or a number could be taken for a secret: `access_token`.
  readonly versions: Readonly<Record<string, { readonly is: string | number }>>
  /** Channels that this checkpoint changed. */
  readonly own: Readonly<Record<string, Dumped>>
  /** For the others, the checkpoint that did. */
  readonly from: Readonly<Record<string, { readonly id: string }>>
}

export interface StoredWrite {
  readonly idx: number
  readonly channel: string
  readonly value: Dumped
}

/** One call of `putWrites`. */
export interface StoredBatch {
  readonly task: string
  readonly path: string
  readonly writes: readonly StoredWrite[]
}

export type Checkpoints = Readonly<Record<string, StoredCheckpoint>>

export interface StoredNamespace {
  readonly checkpoints?: Checkpoints
  readonly writes?: Readonly<Record<string, Readonly<Record<string, StoredBatch>>>>
}

/** Ids are made so that later ones sort behind. */
export const newestFirst = (ids: readonly string[]): readonly string[] => ids.toSorted().reverse()

/** In the order in which a run applies them. Of a write that came twice the first counts; of an interrupt or error, the last. */
export function orderedWrites({ writes = {} }: StoredNamespace, id: string) {
  const found = new Map<string, StoredWrite & { readonly task: string; readonly path: string }>()
  for (const { task, path, writes: each } of Object.values(writes[id] ?? {}))
    for (const write of each) {
      const key = JSON.stringify([task, write.idx])
      if (write.idx < 0 || !found.has(key)) found.set(key, { task, path, ...write })
    }
  const keyOf = ({ task, path, idx }: { task: string; path: string; idx: number }) => writesSortKey(path, task, idx)
  return [...found.values()].toSorted((a, b) => compareWritesSortKeys(keyOf(a), keyOf(b)))
}

/** Who has that version of a channel: the parent knows; a copy of a checkpoint may have to look at all, newest first. */
export function holdersOf(
  all: Checkpoints,
  { parent, channel, version }: { readonly parent?: string; readonly channel: string; readonly version: unknown },
): readonly string[] {
  const before = parent === undefined ? undefined : all[parent]
  if (parent !== undefined && before?.versions[channel]?.is === version) {
    const holder = before?.own[channel] === undefined ? before?.from[channel]?.id : parent
    if (holder !== undefined) return [holder]
  }
  return newestFirst(Object.keys(all)).filter(
    (id) => all[id]?.own[channel] !== undefined && all[id].versions[channel]?.is === version,
  )
}
