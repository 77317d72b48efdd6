import type { Keys } from '../../kernel/path.ts'
import type { QueryNode } from '../../kernel/query.ts'

/** The way from the root to a value, from its end: most values are looked at and left, so paths are made on demand. */
export interface Trail {
  readonly parent: Trail | undefined
  readonly key: string | number
}

/** Looks at `value`, and adds to `found` what the rest of the query selects below it. */
export type Visit = (value: unknown, trail: Trail | undefined, root: unknown, found: QueryNode[]) => void

export class FoundNode implements QueryNode {
  readonly value: unknown
  readonly #trail: Trail | undefined

  constructor(value: unknown, trail: Trail | undefined) {
    this.value = value
    this.#trail = trail
  }

  get path(): Keys {
    const keys: (string | number)[] = []
    for (let step = this.#trail; step !== undefined; step = step.parent) keys.push(step.key)
    return keys.reverse()
  }
}

export const collect: Visit = (value, trail, _root, found) => {
  found.push(new FoundNode(value, trail))
}
