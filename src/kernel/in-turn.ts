let last: Promise<unknown> = Promise.resolve()

/**
 * Loads what is loaded on use, one after another: Jest's loader fails where two modules that share a third are on their way.
 * What `load` does must not wait for another turn.
 */
export function inTurn<T>(load: () => Promise<T>): Promise<T> {
  const mine = last.then(load)
  last = mine.catch(() => undefined)
  return mine
}
