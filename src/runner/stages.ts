/*
 * How far the stages of a state are. All are looked at once: asked for each step anew, a state of several thousand steps
 * spends more time on it than on its work.
 */
interface Staged {
  readonly stage: string
  readonly status: string
}

export interface Standing {
  /** Place of the first stage that is not over; steps of later ones wait. */
  readonly reached: number
  /** The first that is over and has missed its share; steps of later ones never start. */
  readonly missed: { readonly at: number; readonly stage: string } | undefined
}

export class Stages {
  readonly names: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  readonly #share: (done: number, of: number) => boolean

  /** `share`: whether so many of so many are enough. */
  constructor(names: readonly string[], share: (done: number, of: number) => boolean) {
    this.names = names
    this.#places = new Map(names.map((name, place) => [name, place]))
    this.#share = share
  }

  /** 0 where nothing is said of stages. */
  placeOf({ stage }: Pick<Staged, 'stage'>): number {
    return this.#places.get(stage) ?? 0
  }

  standing(slots: Iterable<Staged>): Standing {
    const counts = this.names.map((stage) => ({ stage, left: 0, done: 0, of: 0 }))
    for (const slot of slots) {
      const count = counts[this.placeOf(slot)]
      if (count === undefined) continue
      count.of += 1
      if (slot.status === 'done') count.done += 1
      else if (slot.status === 'open' || slot.status === 'running') count.left += 1
    }
    const at = counts.findIndex(({ left, done, of }) => left === 0 && !this.#share(done, of))
    const reached = counts.findIndex(({ left }) => left > 0)
    return {
      reached: reached < 0 ? counts.length : reached,
      missed: at < 0 ? undefined : { at, stage: counts[at]?.stage ?? '' },
    }
  }
}
