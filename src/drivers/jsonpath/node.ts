import type { Keys } from '../../kernel/path/path.ts'
import type { QueryNode } from '../../kernel/path/query.ts'

/** A value and the way to it, from its end: most values are looked at and left, so paths are made on demand. */
export class Node implements QueryNode {
  readonly value: unknown
  readonly #parent: Node | undefined
  readonly #key: string | number

  /** The root has no parent, and its key means nothing. */
  constructor(value: unknown, parent: Node | undefined, key: string | number) {
    this.value = value
    this.#parent = parent
    this.#key = key
  }

  get path(): Keys {
    const keys: (string | number)[] = []
    this.#addKeys(keys)
    return keys
  }

  /** As JSON it has its path, and not the document that it was found in. */
  toJSON(): QueryNode {
    return { value: this.value, path: this.path }
  }

  #addKeys(keys: (string | number)[]): void {
    if (this.#parent === undefined) return
    this.#parent.#addKeys(keys)
    keys.push(this.#key)
  }
}

/** What one run of a query carries through its closures. */
export interface Run {
  readonly root: unknown
  readonly take: (value: unknown, parent: Node | undefined, key: string | number) => void
}

/** Looks at `value`, the member `key` of `parent`, and takes what the rest of the query selects below it. */
export type Visit = (value: unknown, parent: Node | undefined, key: string | number, run: Run) => void

const ROOT = '$'

/** The last visit of every query. */
export const take: Visit = (value, parent, key, run) => run.take(value, parent, key)

export function collectNodes(visit: Visit, root: unknown): Node[] {
  const found: Node[] = []
  visit(root, undefined, ROOT, { root, take: (value, parent, key) => found.push(new Node(value, parent, key)) })
  return found
}

/** The values that `visit` selects below `start`, where `$` is `root`. */
export function collectValues(visit: Visit, start: unknown, root: unknown): unknown[] {
  const found: unknown[] = []
  visit(start, undefined, ROOT, { root, take: (value) => found.push(value) })
  return found
}
