import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

const MOST = 500
/** A resource may be as large as a state, and is read anew whenever it changes. */
const MOST_CHARACTERS = 1024 * 1024

interface Kept {
  readonly n: number
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly characters: number
}

/** The last messages of a connection, so that a client whose stream broke reads on where it was, or behind what is forgotten. */
export class Recent implements EventStore {
  readonly #kept: Kept[] = []
  #characters = 0
  #last = 0

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const n = ++this.#last
    const characters = JSON.stringify(message).length
    this.#kept.push({ n, stream, message, characters })
    this.#characters += characters
    while (this.#kept.length > MOST || (this.#characters > MOST_CHARACTERS && this.#kept.length > 1))
      this.#characters -= this.#kept.shift()?.characters ?? 0
    return Promise.resolve(idOf(stream, n))
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    const place = placeOf(id)
    return Promise.resolve(place !== undefined && place.n <= this.#last ? place.stream : undefined)
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const { stream, n: seen } = placeOf(last) ?? { stream: '', n: 0 }
    const missed = this.#kept.filter((each) => each.stream === stream && each.n > seen)
    for (const { n, message } of missed) await send(idOf(stream, n), message)
    return stream
  }
}

const idOf = (stream: string, n: number): string => `${stream}_${n}`

/** It tells its place by itself: nothing need be kept of a message for that. */
function placeOf(id: string): { readonly stream: string; readonly n: number } | undefined {
  const [, stream, n] = /^(.+)_([1-9]\d{0,14})$/.exec(id) ?? []
  return stream === undefined ? undefined : { stream, n: Number(n) }
}
