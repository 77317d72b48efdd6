/*
 * Lines of a session as messages of one subject, and where each stands.
 *
 *   subject  steadfold.<namespace>.log.<session>     one message: the lines of one append, as they are
 *   headers  First, Last: sequence numbers · Hash: of the last line · Segment, Offset: where its bytes begin
 *            Behind: number in the stream of the message that it was to stand behind
 *
 * The position of a log (segment, offset) is thus kept beside the bytes, and does not depend on the stream's own numbers,
 * which all sessions share.
 *
 * J4. Each message says which one its writer stood behind. Of those that begin with the same commit the first in the
 *     stream counts; the others lost a race, and stay where they are (L3).
 * J6. A message without lines closes the log: it takes the number of the next commit, so that by J2 and J4 no other gets it.
 */
import type { StoredMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { START } from '../../kernel/log/chain.ts'
import { HASH_MEMBER } from '../../kernel/log/check-line.ts'
import type { Position } from '../../kernel/ports.ts'
import type { Connection } from './connection.ts'
import { isMissing } from './failure.ts'

export interface Message {
  /** Number in the stream. */
  readonly stream: number
  /** Number of the message that its writer stood behind; 0: none. */
  readonly behind: number
  readonly first: number
  readonly last: number
  readonly hash: string
  readonly segment: number
  readonly offset: number
  readonly bytes: Buffer
}

const NEWLINE = 0x0a
const HASH_LENGTH = 64
export const HEADERS = { first: 'Steadfold-First', last: 'Steadfold-Last', hash: 'Steadfold-Hash' } as const
export const BEHIND = 'Steadfold-Behind'
export const PLACE = { segment: 'Steadfold-Segment', offset: 'Steadfold-Offset' } as const

/** Ids have dots, which part subjects and keys. */
export const tokenOf = (session: string): string => session.replaceAll('.', '=2E')
/** With which a session is in the list. */
export const listKey = (session: string): string => `session.${tokenOf(session)}`
export const sessionOf = (token: string): string => token.replaceAll('=2E', '.')

function messageOf({ seq, header, data }: Pick<StoredMsg, 'seq' | 'header' | 'data'>): Message {
  return told(seq, header, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
}

export function told(stream: number, header: MsgHdrs, bytes: Buffer): Message {
  const number = (name: string) => Number(header.get(name))
  return {
    stream,
    behind: number(BEHIND),
    first: number(HEADERS.first),
    last: number(HEADERS.last),
    hash: header.get(HEADERS.hash),
    segment: number(PLACE.segment),
    offset: number(PLACE.offset),
    bytes,
  }
}

/** Where a log stands behind a message of the stream. */
export interface Place {
  readonly seq: number
  /** Of that commit; undefined when it was not met. */
  readonly hash: string | undefined
  readonly stream: number
}

export const BEGINNING: Place = { seq: 0, hash: START.hash, stream: 0 }

/** J4 */
export const counts = ({ first }: Message, at: Place): boolean => first === at.seq + 1

/** J6 */
export const isClosing = ({ bytes }: Message): boolean => bytes.length === 0

/** Where the log stands behind a message, by where it stood before. */
export const past = (message: Message, at: Place): Place =>
  counts(message, at)
    ? { seq: message.last, hash: message.hash, stream: message.stream }
    : { ...at, stream: message.stream }

/** Whether the commit ends where the position says. */
export function endsIn({ segment, offset, bytes, last }: Message, position: Position): boolean {
  const { seq, hash } = position
  if (position.offset === 0 ? position.segment !== seq + 1 || last !== seq : position.segment !== segment) return false
  const upto = position.offset === 0 ? bytes.length : position.offset - offset
  return upto > 0 && bytes.subarray(0, upto).toString('utf8').endsWith(`"${hash}"}\n`)
}

/** What the first line of a message follows. */
export function prevOf({ bytes }: Message): string {
  const end = bytes.indexOf(NEWLINE) - HASH_MEMBER - 1
  return bytes.toString('latin1', end - HASH_LENGTH, end)
}

/** What the stream's leader has. */
export class Subject {
  readonly #connection: Connection
  readonly session: string
  readonly name: string

  constructor(connection: Connection, session: string) {
    this.#connection = connection
    this.session = session
    this.name = `steadfold.${connection.address.namespace}.log.${tokenOf(session)}`
  }

  /** Undefined while there is none. */
  last(): Promise<Message | undefined> {
    return this.#get({ last_by_subj: this.name })
  }

  /** The first from that number of the stream on. */
  next(stream: number): Promise<Message | undefined> {
    return this.#get({ seq: Math.max(1, stream), next_by_subj: this.name })
  }

  /**
   * Some place not behind commit `seq`, near to it, when `end` is the last message. Halves the stream: what a writer stood
   * behind is known for every message, also for one that lost.
   */
  async placeBefore(seq: number, end: Message): Promise<Place> {
    if (end.first <= seq + 1) return placeOf(end)
    let [low, high] = [1, end.stream]
    let found: Message | undefined
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const met = await this.next(middle)
      if (met === undefined || met.first > seq + 1) high = middle
      else [found, low] = [met, met.stream + 1]
    }
    return found === undefined ? { seq: 0, hash: undefined, stream: 0 } : placeOf(found)
  }

  async #get(query: { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string }) {
    const { manager, stream } = this.#connection
    try {
      // The servers know `next_by_subj` here, too; the client's type does not.
      const found = await manager.streams.getMessage(stream, query)
      return found === null ? undefined : messageOf(found)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
}

const placeOf = ({ first, behind }: Message): Place => ({ seq: first - 1, hash: undefined, stream: behind })
