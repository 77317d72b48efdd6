/*
 * A checkpointer of LangGraph.js over a session: `$.data.langgraph[thread][namespace]`.
 *
 *   checkpoints[id] ─► its own channels, and for the others the id of the checkpoint that changed them
 *   writes[id][batch] ─► what the tasks of its next superstep have written
 *
 * C1. `put` and `putWrites` are one commit each; two writers on one thread never undo each other.
 * C2. A channel is kept by the checkpoint that changed it, not by its version: two runs of one thread give the same
 *     version to different values.
 * C3. Writes that come again change nothing.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  BaseCheckpointSaver,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import { EngineError } from '../../kernel/error.ts'
import type { Session } from '../../kernel/session.ts'
import { nameOf, Shelf, type AdapterOptions } from '../shelf.ts'
import {
  holdersOf,
  newestFirst,
  orderedWrites,
  type Dumped,
  type StoredCheckpoint,
  type StoredNamespace,
} from './stored.ts'

export interface SaverOptions extends AdapterOptions {
  readonly serde?: SerializerProtocol | undefined
}

/** What LangGraph passes around to name a checkpoint. */
type Config = CheckpointTuple['config']

interface Place {
  readonly thread: string
  readonly ns: string
  readonly id: string
}

/** Keeps the checkpoints of many threads in one session. */
export class SteadfoldSaver extends BaseCheckpointSaver {
  readonly #shelf: Shelf

  constructor(session: Session, { actor = 'tool:langgraph', serde }: SaverOptions = {}) {
    super(serde)
    this.#shelf = new Shelf(session, 'langgraph', actor)
  }

  async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id: named } = placeOf(config)
    if (thread === '') return undefined
    await this.#shelf.refresh()
    const id = named || newestFirst(Object.keys(this.#stored(thread, ns).checkpoints ?? {}))[0]
    return id === undefined ? undefined : this.#tuple({ thread, ns, id })
  }

  async *list(config: Config, { limit = Infinity, before, filter = {} }: CheckpointListOptions = {}) {
    await this.#shelf.refresh()
    const end = before === undefined ? '' : getCheckpointId(before)
    let left = limit
    for (const place of this.#places(config)) {
      if (left <= 0) return
      const tuple = end !== '' && place.id >= end ? undefined : await this.#tuple(place, filter)
      if (tuple === undefined) continue
      left--
      yield tuple
    }
  }

  async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions: ChannelVersions) {
    const { thread, ns, id: parent } = placeOf(config)
    if (thread === '') throw missing('thread_id')
    await this.#shelf.refresh()
    const { channel_values: values, ...rest } = copyCheckpoint(checkpoint)
    const stored: StoredCheckpoint = {
      checkpoint: await this.#dump(rest),
      metadata: await this.#dump(metadata),
      ...(parent === '' ? {} : { parent }),
      versions: Object.fromEntries(Object.entries(rest.channel_versions).map(([channel, is]) => [channel, { is }])),
      ...(await this.#channels(this.#stored(thread, ns), {
        values,
        versions: rest.channel_versions,
        newVersions,
        parent,
      })),
    }
    await this.#shelf.set([thread, ns, 'checkpoints', checkpoint.id], stored)
    return configOf({ thread, ns, id: checkpoint.id })
  }

  async putWrites(config: Config, writes: PendingWrite[], task: string, path = ''): Promise<void> {
    const { thread, ns, id } = placeOf(config)
    if (thread === '') throw missing('thread_id')
    if (id === '') throw missing('checkpoint_id')
    const dumped = await Promise.all(
      writes.map(async ([channel, value], index) => {
        return { idx: WRITES_IDX_MAP[channel] ?? index, channel, value: await this.#dump(value) }
      }),
    )
    const batch = { task, path, writes: dumped }
    // An interrupt may go back to what it was before, which is not the same call again.
    const name = nameOf(JSON.stringify(batch)) + (dumped.some(({ idx }) => idx < 0) ? `-${randomUUID()}` : '')
    await this.#shelf.refresh()
    await this.#shelf.set([thread, ns, 'writes', id, name], batch)
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#shelf.remove([String(threadId)])
  }

  #stored(thread: string, ns: string): StoredNamespace {
    return this.#shelf.get(thread, ns) ?? {}
  }

  #places(config: Config): readonly Place[] {
    const { checkpoint_ns: ns } = config.configurable ?? {}
    const { thread, id } = placeOf(config)
    const threads = thread === '' ? Object.keys(this.#shelf.get() ?? {}) : [thread]
    const spaces = threads.flatMap((each) =>
      Object.keys(this.#shelf.get(each) ?? {}).map((space) => ({ thread: each, ns: space })),
    )
    return spaces
      .filter((space) => ns === undefined || space.ns === ns)
      .flatMap((space) =>
        Object.keys(this.#stored(space.thread, space.ns).checkpoints ?? {}).map((each) => ({ ...space, id: each })),
      )
      .filter((place) => id === '' || place.id === id)
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
  }

  async #tuple(place: Place, filter: object = {}): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id } = place
    const space = this.#stored(thread, ns)
    const stored = space.checkpoints?.[id]
    if (stored === undefined) return undefined
    const metadata = (await this.#load(stored.metadata)) as CheckpointMetadata & Record<string, unknown>
    if (!Object.entries(filter).every(([key, value]) => isDeepStrictEqual(metadata[key], value))) return undefined
    const { parent } = stored
    return {
      config: configOf(place),
      checkpoint: await this.#checkpoint(space, stored),
      metadata,
      pendingWrites: await Promise.all(
        orderedWrites(space, id).map(
          async ({ task, channel, value }) => [task, channel, await this.#load(value)] as const,
        ),
      ).then((all) => all.map(([task, channel, value]) => [task, channel, value])),
      ...(parent === undefined ? {} : { parentConfig: configOf({ thread, ns, id: parent }) }),
    }
  }

  async #checkpoint(space: StoredNamespace, stored: StoredCheckpoint): Promise<Checkpoint> {
    const rest = (await this.#load(stored.checkpoint)) as Omit<Checkpoint, 'channel_values'>
    const held = Object.entries(stored.from).flatMap(([channel, { id }]): readonly [string, Dumped][] => {
      const value = space.checkpoints?.[id]?.own[channel]
      return value === undefined ? [] : [[channel, value]]
    })
    const all = [...Object.entries(stored.own), ...held]
    const values = await Promise.all(all.map(async ([channel, value]) => [channel, await this.#load(value)] as const))
    const checkpoint: Checkpoint = { ...rest, channel_values: Object.fromEntries(values) }
    if (checkpoint.v < 4 && stored.parent !== undefined) await this.#sends(checkpoint, space, stored.parent)
    return checkpoint
  }

  /** Before format 4, what was sent to tasks stood only in the writes of the parent. */
  async #sends(checkpoint: Checkpoint, space: StoredNamespace, parent: string): Promise<void> {
    const sends = orderedWrites(space, parent).filter(({ channel }) => channel === TASKS)
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => this.#load(value)))
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  /** C2 */
  async #channels(
    { checkpoints = {} }: StoredNamespace,
    put: {
      readonly values: Readonly<Record<string, unknown>>
      readonly versions: ChannelVersions
      readonly newVersions: ChannelVersions
      readonly parent: string
    },
  ): Promise<Pick<StoredCheckpoint, 'own' | 'from'>> {
    const own: Record<string, Dumped> = {}
    const from: Record<string, { id: string }> = {}
    for (const [channel, value] of Object.entries(put.values)) {
      const version = put.versions[channel]
      const isNew = version === undefined || Object.hasOwn(put.newVersions, channel)
      const holders = isNew ? [] : holdersOf(checkpoints, { parent: put.parent, channel, version })
      const dumped = isNew || holders.length > 1 ? await this.#dump(value) : undefined
      const holder = holders.find((id) => isDeepStrictEqual(checkpoints[id]?.own[channel], dumped)) ?? holders[0]
      if (isNew && dumped !== undefined) own[channel] = dumped
      else if (holder !== undefined) from[channel] = { id: holder }
    }
    return { own, from }
  }

  async #dump(value: unknown): Promise<Dumped> {
    const [type, bytes] = await this.serde.dumpsTyped(value)
    // As of a function, which JSON leaves out.
    if (bytes.length === 0 && value !== undefined) return this.#dump(undefined)
    const encoding = isUtf8(bytes) ? 'utf8' : 'base64'
    return { type, encoding, ...(await this.#shelf.keep(Buffer.from(bytes).toString(encoding))) }
  }

  async #load(dumped: Dumped): Promise<unknown> {
    const bytes = Buffer.from(await this.#shelf.text(dumped), dumped.encoding)
    return this.serde.loadsTyped(dumped.type, new Uint8Array(bytes))
  }
}

/** Empty where the config does not say. */
function placeOf({ configurable = {} }: Config): Place {
  const { thread_id: thread = '', checkpoint_ns: ns = '' } = configurable
  return { thread: String(thread), ns: String(ns), id: getCheckpointId({ configurable }) }
}

const configOf = ({ thread, ns, id }: Place) => ({
  configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id },
})

const missing = (name: string): EngineError =>
  new EngineError('INPUT_INVALID', `the config has no configurable.${name}`, {
    hint: `pass { configurable: { ${name}: '…' } }`,
  })
