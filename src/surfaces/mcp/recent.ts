import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

const MOST = 500
/** A resource may be as large as a state, and is read anew whenever it changes. */
const MOST_CHARACTERS = 1024 * 1024

interface Kept {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly characters: number
}

/** The last messages of a connection, so that a client whose stream broke reads on where it was. */
export class Recent implements EventStore {
  readonly #events: Kept[] = []
  #characters = 0
  #last = 0

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${++this.#last}`
    const characters = JSON.stringify(message).length
    this.#events.push({ id, stream, message, characters })
    this.#characters += characters
    while (this.#events.length > MOST || (this.#characters > MOST_CHARACTERS && this.#events.length > 1))
      this.#characters -= this.#events.shift()?.characters ?? 0
    return Promise.resolve(id)
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream)
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.findIndex(({ id }) => id === last)
    const stream = this.#events[from]?.stream ?? ''
    for (const event of from < 0 ? [] : this.#events.slice(from + 1))
      if (event.stream === stream) await send(event.id, event.message)
    return stream
  }
}
