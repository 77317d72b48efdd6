/*
 * What of a session this process knows to be on the disk, and what is on its way there.
 *
 * D1. Nothing is answered before what it rests on: what is on its way arrives in the order of the log.
 */
import type { Replica } from '../replica/replica.ts'

export class Durable {
  readonly #replica: Replica
  #seq = 0
  #life = 0
  #underWay = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(replica: Replica) {
    this.#replica = replica
  }

  /** Whether all that the replica has is there. */
  get isAll(): boolean {
    return this.#replica.seq <= this.#seq && this.#replica.lives === this.#life
  }

  get isUnderWay(): boolean {
    return this.#underWay > 0
  }

  /** Everything up to `seq` of that life of the log is there. */
  note(seq: number, life: number): void {
    this.#seq = seq
    this.#life = life
  }

  /** D1: `landed` or `failed` is called when `durable`, and all that was on its way before, is settled. */
  follow(durable: Promise<void> | undefined, landed: () => void, failed: (error: unknown) => void): void {
    this.#underWay++
    this.#last = Promise.all([this.#last, durable])
      .then(landed)
      .catch(failed)
      .finally(() => this.#underWay--)
  }

  /** Nothing is on its way any more. */
  async settled(): Promise<void> {
    while (this.isUnderWay) await this.#last
  }
}
