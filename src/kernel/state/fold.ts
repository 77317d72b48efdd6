/*
 * Events into state. The same fold serves live writes, replay, time travel and checkpoints.
 */
import { EngineError } from '../error.ts'
import { SEAL_EVENT, type Commit, type Event } from '../log/commit.ts'
import type { Edit } from './edit.ts'
import { sliceKeys, type Handler, type Meta, type Module, type SliceKeys, type Tree } from './module.ts'

interface Target {
  readonly module: Module
  readonly handler: Handler
  readonly keys: SliceKeys
}

/** Event type -> who folds it. */
export type Folder = (type: string) => Target | undefined

/** Looked up when the first event of a type is folded: most programs that end soon meet one or two. */
export function makeFolder(modules: readonly Module[]): Folder {
  const known = new Map<string, Target>()
  return (type) => {
    const met = known.get(type)
    if (met !== undefined) return met
    const module = modules.find((each) => each.events?.includes(type) ?? Object.hasOwn(each.evolve, type))
    const handler = module?.evolve[type]
    if (module === undefined || handler === undefined) return undefined
    const target = { module, handler, keys: sliceKeys(module.slice) }
    known.set(type, target)
    return target
  }
}

/** Who asked is seldom folded, and costs parsing. */
class Around implements Meta {
  readonly seq: number
  readonly at: string
  readonly root: Tree
  readonly #commit: Foldable

  constructor(commit: Foldable, root: Tree) {
    this.seq = commit.seq
    this.at = commit.at
    this.root = root
    this.#commit = commit
  }

  get actor(): string {
    return this.#commit.actor
  }
}

export type Foldable = Pick<Commit, 'seq' | 'at' | 'actor' | 'events'>

/** Folds one commit into `root`, in place. */
export function fold(folder: Folder, root: Tree, commit: Foldable, edit: Edit): void {
  const meta = new Around(commit, root)
  for (const event of commit.events) foldEvent(folder, meta, event, edit)
}

function foldEvent(folder: Folder, meta: Meta, event: Event, edit: Edit): void {
  const { root } = meta
  const target = folder(event.type)
  if (target === undefined) {
    if (event.type === SEAL_EVENT) return
    throw new EngineError(
      'VERSION_UNKNOWN',
      `commit ${meta.seq} holds an event "${event.type}" that this version does not know`,
      {
        hint: 'open this session with the newer steadfold that wrote it',
      },
    )
  }
  target.handler(ownSlice(root, target, edit), event.data, edit, meta)
}

function ownSlice(root: Tree, { module: { initial }, keys: [first, second] }: Target, edit: Edit): Tree {
  if (second === undefined) return memberOf(root, first, initial, edit)
  return memberOf(memberOf(root, first, empty, edit), second, initial, edit)
}

const empty = () => ({})

function memberOf(owner: Tree, key: string, make: () => Tree, edit: Edit): Tree {
  if (owner[key] === undefined) edit.set(owner, key, make())
  // Made by `make` of the same module, or by that of another one beside it.
  return owner[key] as Tree
}
