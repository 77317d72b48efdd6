/*
 * Lines of a session as messages of one subject, and where each stands.
 *
 *   subject  steadfold.<namespace>.log.<session>     one message: the lines of one append, as they are
 *   headers  First, Last: sequence numbers · Hash: of the last line · Segment, Offset: where its bytes begin
 *
 * The position of a log (segment, offset) is thus kept beside the bytes, and does not depend on the stream's own numbers,
 * which all sessions share.
 */
import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { isMissing } from './failure.ts'

export interface Message {
  /** Number in the stream. */
  readonly stream: number
  readonly first: number
  readonly last: number
  readonly hash: string
  readonly segment: number
  readonly offset: number
  readonly bytes: Buffer
}

export const HEADERS = { first: 'Steadfold-First', last: 'Steadfold-Last', hash: 'Steadfold-Hash' } as const
export const PLACE = { segment: 'Steadfold-Segment', offset: 'Steadfold-Offset' } as const

/** Ids have dots, which part subjects and keys. */
export const tokenOf = (session: string): string => session.replaceAll('.', '=2E')
export const sessionOf = (token: string): string => token.replaceAll('=2E', '.')

export function messageOf({ seq, header, data }: Pick<StoredMsg, 'seq' | 'header' | 'data'>): Message {
  return told(seq, header, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
}

export function told(stream: number, header: MsgHdrs, bytes: Buffer): Message {
  const number = (name: string) => Number(header.get(name))
  return {
    stream,
    first: number(HEADERS.first),
    last: number(HEADERS.last),
    hash: header.get(HEADERS.hash),
    segment: number(PLACE.segment),
    offset: number(PLACE.offset),
    bytes,
  }
}

/** What the stream's leader has. */
export class Subject {
  readonly #manager: JetStreamManager
  readonly #stream: string
  readonly name: string

  constructor(manager: JetStreamManager, stream: string, name: string) {
    this.#manager = manager
    this.#stream = stream
    this.name = name
  }

  /** Undefined while there is none. */
  last(): Promise<Message | undefined> {
    return this.#get({ last_by_subj: this.name })
  }

  /** The first from that number of the stream on. */
  next(stream: number): Promise<Message | undefined> {
    return this.#get({ seq: Math.max(1, stream), next_by_subj: this.name })
  }

  /** The first that holds a commit behind `seq`, when `end` is the last of all. Halves the stream until it is found. */
  async behind(seq: number, end: Message, from = 1): Promise<Message | undefined> {
    if (end.last <= seq) return undefined
    if (end.first <= seq + 1) return end
    let [low, high] = [from, end.stream]
    let found = end
    const first = await this.next(low)
    if (first === undefined || first.last > seq) return first
    low = first.stream + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const met = await this.next(middle)
      if (met === undefined || met.last > seq) {
        high = middle
        found = met ?? found
      } else low = met.stream + 1
    }
    return low === high ? ((await this.next(low)) ?? found) : found
  }

  async #get(query: { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string }) {
    try {
      // The servers know `next_by_subj` here, too; the client's type does not.
      const found = await this.#manager.streams.getMessage(this.#stream, query)
      return found === null ? undefined : messageOf(found)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}
