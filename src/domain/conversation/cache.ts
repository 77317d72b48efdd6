/** Views that were read, kept until there are too many of them or they are too old. The state itself stays where it is. */
export interface CacheLimits {
  readonly views: number
  /** In all views together. */
  readonly events: number
  readonly age_ms: number
}

const CACHE_LIMITS: CacheLimits = { views: 100, events: 500_000, age_ms: 3_600_000 }

interface Sized {
  readonly size: number
}

export class ViewCache<View extends Sized> {
  readonly #views = new Map<string, { readonly view: View; readonly used: number }>()
  readonly #limits: CacheLimits
  #now = 0

  constructor(limits: CacheLimits = CACHE_LIMITS) {
    this.#limits = limits
  }

  get keys(): readonly string[] {
    return [...this.#views.keys()]
  }

  get(key: string): View | undefined {
    return this.#views.get(key)?.view
  }

  /** The one that is kept now stays; others go, those first that were used least recently. */
  keep(key: string, view: View, now: number): void {
    // Not every reader has a clock.
    this.#now = Math.max(this.#now, now)
    this.#views.delete(key)
    this.#views.set(key, { view, used: this.#now })
    let events = 0
    for (const each of this.#views.values()) events += each.view.size
    for (const [
      other,
      {
        view: { size },
        used,
      },
    ] of this.#views) {
      const isFull = this.#views.size > this.#limits.views || events > this.#limits.events
      if (other === key || (!isFull && this.#now - used <= this.#limits.age_ms)) break
      this.#views.delete(other)
      events -= size
    }
  }
}
