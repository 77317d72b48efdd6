import { patiently, type Connection } from './connection.ts'
import { isPassing } from './failure.ts'
import { past, told, type Message, type Place, type Subject } from './subject.ts'

const AT_ONCE = 500
/** One by one up to here: a consumer takes several questions to make and to take away. */
const BY_ONE = 16
/** A consumer whose server went away is missed after this, and made again elsewhere. */
const EXPIRES_MS = 4000

export interface Step {
  readonly message: Message
  /** Where the log stood before it, and stands now. */
  readonly before: Place
  readonly now: Place
}

/** All messages behind `from` up to `end`, in order: those that count and those that lost (J4). */
export async function* walk(connection: Connection, subject: Subject, from: Place, end: Message): AsyncGenerator<Step> {
  let before = from
  for await (const message of messagesOf(connection, subject, from.stream, end)) {
    const now = past(message, before)
    yield { message, before, now }
    before = now
  }
}

async function* messagesOf(
  connection: Connection,
  subject: Subject,
  from: number,
  end: Message,
): AsyncGenerator<Message> {
  const next = (stream: number) => patiently(connection.address, 'cannot read the log', () => subject.next(stream))
  let message = from + 1 >= end.stream ? end : await next(from + 1)
  if (message !== undefined && end.last - message.last > BY_ONE) {
    let seen = from
    for await (const each of runOf(connection, subject, message.stream, end)) {
      yield each
      seen = each.stream
    }
    // It may have been broken off.
    message = seen < end.stream ? await next(seen + 1) : undefined
  }
  while (message !== undefined) {
    yield message
    const { stream } = message
    if (stream >= end.stream) return
    message = await next(stream + 1)
  }
}

/** From an ordered consumer, without asking for each. Ends early when that fails. */
async function* runOf(
  { client, stream }: Connection,
  subject: Subject,
  from: number,
  end: Message,
): AsyncGenerator<Message> {
  try {
    const consumer = await client.consumers.get(stream, {
      filter_subjects: subject.name,
      deliver_policy: 'by_start_sequence',
      opt_start_seq: from,
    })
    const messages = await consumer.consume({ max_messages: AT_ONCE, expires: EXPIRES_MS })
    try {
      for await (const { seq, headers, data } of messages) {
        if (headers === undefined) continue
        yield told(seq, headers, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
        if (seq >= end.stream) return
      }
    } finally {
      messages.stop()
      await consumer.delete().catch(() => undefined)
    }
  } catch (error) {
    if (!isPassing(error)) throw error
  }
}
