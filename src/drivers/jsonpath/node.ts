import type { Keys } from '../../kernel/path.ts'
import type { QueryNode } from '../../kernel/query.ts'

/** Looks at `node`, and adds to `found` what the rest of the query selects below it. */
export type Visit = (node: Node, root: unknown, found: Node[]) => void

/** A value and the way to it, from its end: most values are looked at and left, so paths are made on demand. */
export class Node implements QueryNode {
  readonly value: unknown
  readonly parent: Node | undefined
  readonly key: string | number

  constructor(value: unknown, parent: Node | undefined, key: string | number) {
    this.value = value
    this.parent = parent
    this.key = key
  }

  get path(): Keys {
    const keys: (string | number)[] = []
    addKeys(this, keys)
    return keys
  }
}

/** The root has no parent, and its key means nothing. */
function addKeys(node: Node, keys: (string | number)[]): void {
  if (node.parent === undefined) return
  addKeys(node.parent, keys)
  keys.push(node.key)
}

export const rootNode = (root: unknown): Node => new Node(root, undefined, '$')

export const collect: Visit = (node, _root, found) => {
  found.push(node)
}
