import type { Connection } from './connection.ts'
import { told, type Message } from './subject.ts'

const AT_ONCE = 500

/** All messages of a subject from one to another, in order, without asking for each. */
export async function* runOf(
  { client, stream }: Connection,
  subject: string,
  from: Message,
  end: Message,
): AsyncGenerator<Message> {
  const consumer = await client.consumers.get(stream, {
    filter_subjects: subject,
    deliver_policy: 'by_start_sequence',
    opt_start_seq: from.stream,
  })
  const messages = await consumer.consume({ max_messages: AT_ONCE })
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
}
