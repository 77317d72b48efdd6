/*
 * How long the calls of a process try again while their store is away.
 *
 * Y1. They share one patience, which begins with the first that failed: of calls that wait for one another each would have
 *     its own otherwise, behind that of the one before. Behind it the store is tried once a second, and a call between fails as the last did.
 * Y2. A store that answered, or failed last so long ago, is trusted anew.
 * Y3. Who is about to end is patient a few seconds more, and gives up a try that has no answer by then.
 */
const HURRY_MS = 5000
const APART_MS = 1000

export class Patience {
  readonly ms: number
  #isHurried = false
  /** Of each try that is under way: gives it the time that is left. */
  readonly #tries = new Set<() => void>()
  #end = Infinity
  /** The first failure of a call, the last, why that was, and the end of the last try. */
  #since = Infinity
  #failed = -Infinity
  #why: unknown
  #tried = -Infinity

  constructor(ms: number) {
    this.ms = ms
  }

  /** One try. */
  async tried<T>(task: () => PromiseLike<T>): Promise<T> {
    if (this.#isOver(Date.now()) && Date.now() - this.#tried < APART_MS) throw this.#why
    const limit = this.#limit()
    try {
      const answer = await Promise.race([task(), limit.late])
      this.#since = Infinity
      this.#failed = -Infinity
      return answer
    } finally {
      limit.end()
      this.#tried = Date.now()
    }
  }

  /** Behind a failure that passes: whether a call that began at `began` is to try again. */
  lasts(began: number, why: unknown): boolean {
    const now = Date.now()
    if (now - this.#failed > this.ms) this.#since = began
    this.#failed = now
    this.#why = why
    return now < began + this.ms && !this.#isOver(now)
  }

  /** Y3 */
  hurry(): void {
    this.#end = Date.now() + HURRY_MS
    this.#isHurried = true
    for (const begin of this.#tries) begin()
  }

  #isOver(now: number): boolean {
    return this.#since < Infinity && now >= Math.min(this.#since + this.ms, this.#end)
  }

  /** Of a try: begins when somebody hurries. */
  #limit() {
    let timer: ReturnType<typeof setTimeout> | undefined
    let begin = (): void => undefined
    const late = new Promise<never>((_, reject) => {
      begin = () => void (timer ??= setTimeout(() => reject(noAnswer()), HURRY_MS))
    })
    this.#tries.add(begin)
    if (this.#isHurried) begin()
    const end = () => {
      clearTimeout(timer)
      this.#tries.delete(begin)
    }
    return { late, end }
  }
}

/** By name and code what the drivers know as one that passes. */
const noAnswer = (): Error =>
  Object.assign(new Error('the store does not answer'), { name: 'TimeoutError', code: 'ETIMEDOUT' })
