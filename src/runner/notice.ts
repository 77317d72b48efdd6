import type { Session } from '../kernel/session.ts'

/** Tells any number of listeners one thing, once; who comes later is told at once. */
export class Notice {
  readonly #listeners = new Set<() => void>()
  #told = false

  get told(): boolean {
    return this.#told
  }

  tell(): void {
    if (this.#told) return
    this.#told = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  /** The answer forgets the listener. */
  on(listener: () => void): () => void {
    if (this.#told) listener()
    else this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** Runs a task with a notice that is told when the session is to close, which waits for the task. */
export async function whileOpen<T>(
  { leaving }: Pick<Session, 'leaving'>,
  task: (closing: Notice) => Promise<T>,
): Promise<T> {
  const closing = new Notice()
  const over = new Notice()
  const leave = () => {
    closing.tell()
    return new Promise<void>((resolve) => over.on(resolve))
  }
  leaving.add(leave)
  try {
    return await task(closing)
  } finally {
    leaving.delete(leave)
    over.tell()
  }
}

/** Runs a task with a notice that is told when the signal aborts. */
export async function withNotice<T>(signal: AbortSignal | undefined, task: (notice: Notice) => Promise<T>): Promise<T> {
  const notice = new Notice()
  const tell = () => notice.tell()
  // Apart, or Node would warn of a signal that more than ten follow.
  const own = signal === undefined ? undefined : AbortSignal.any([signal])
  if (own?.aborted === true) tell()
  own?.addEventListener('abort', tell)
  try {
    return await task(notice)
  } finally {
    own?.removeEventListener('abort', tell)
  }
}
