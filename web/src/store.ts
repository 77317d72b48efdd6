/** A value that many parts of the page look at. */
import { useEffect, useState } from 'preact/hooks'

export interface Store<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

export function makeStore<T>(value: T): Store<T> {
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState(0)
  const shown = store.get()
  useEffect(() => {
    const look = () => draw((n) => n + 1)
    // It may have changed between drawing and now.
    if (!Object.is(store.get(), shown)) look()
    return store.subscribe(look)
  }, [store])
  return shown
}
