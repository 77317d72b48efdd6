/*
 * Messages of a log in order, each with where the log stood before it.
 *
 * J5. Servers of a cluster may differ (before 2.10.22: where a leader was cut off with a message that only it had). So a
 *     message is handed out when the next one follows its hash, or the leader has it as its last. What a consumer brings,
 *     from whatever server, is dropped where it does not; a leader that does not is asked to let another lead.
 */
import { pause } from '../../kernel/log/pause.ts'
import { patiently, sleep, type Connection } from './connection.ts'
import { astray, behind, isAstray, isPassing } from './failure.ts'
import { counts, isClosing, past, prevOf, told, type Message, type Place, type Subject } from './subject.ts'

const AT_ONCE = 500
/** Messages one by one up to here: a consumer takes several questions to make and to take away. */
const BY_ONE = 16
/** A consumer whose server went away is missed after this, and made again elsewhere. */
const EXPIRES_MS = 4000
/** Each server may have led. */
const LEADERS = 5

export interface Step {
  readonly message: Message
  /** Where the log stood before it, and stands now. */
  readonly before: Place
  readonly now: Place
}

/** What to walk over: all messages behind `from` up to `end`, those that count and those that lost (J4). */
export interface Way {
  readonly from: Place
  readonly end: Message
}

export async function* walk(connection: Connection, subject: Subject, { from, end: told }: Way): AsyncGenerator<Step> {
  let [at, end] = [from, told]
  const isLast = ({ message }: Step) => connection.alone || (message.stream === end.stream && message.hash === end.hash)
  for (let attempt = 0; ; attempt++) {
    const isFirst = attempt === 0 && isFar(from, end)
    // What no leader has otherwise is for the rules of the chain to judge.
    const alone = connection.alone || attempt === LEADERS
    const way = { from: at, end }
    const messages = isFirst ? runOf(connection, subject, way) : oneByOne(connection, subject, way)
    try {
      for await (const step of chained(messages, { at, alone, isProof: isFirst ? isLast : () => true })) {
        yield step
        at = step.now
      }
      if (at.stream >= end.stream) return
    } catch (error) {
      if (!isAstray(error)) throw error
      if (isFirst) continue
      await letAnotherLead(connection, subject)
      await sleep(pause(attempt, 1))
      end = (await patiently(connection.address, 'cannot read the log', () => subject.last())) ?? end
    }
  }
}

const isFar = (from: Place, end: Message): boolean => end.stream - from.stream > BY_ONE && end.last - from.seq > BY_ONE

interface Chaining {
  readonly at: Place
  readonly alone: boolean
  /** Whether the last step needs no other to follow it. */
  readonly isProof: (step: Step) => boolean
}

/** J5: throws where the messages do not follow each other. */
async function* chained(messages: AsyncIterable<Message>, { at, alone, isProof }: Chaining): AsyncGenerator<Step> {
  let before = at
  let held: Step[] = []
  for await (const message of messages) {
    const isNext = counts(message, before)
    if (!alone && !follows(message, before)) throw astray()
    if (isNext || alone) {
      yield* held
      held = []
    }
    const now = past(message, before)
    held.push({ message, before, now })
    before = now
  }
  const last = held.at(-1)
  if (last !== undefined && isProof(last)) yield* held
}

function follows(message: Message, before: Place): boolean {
  if (message.first > before.seq + 1) return false
  if (!counts(message, before) || before.hash === undefined || isClosing(message)) return true
  return prevOf(message) === before.hash
}

async function* oneByOne({ address }: Connection, subject: Subject, { from, end }: Way): AsyncGenerator<Message> {
  for (let { stream } = from; stream < end.stream;) {
    const found = await patiently(address, 'cannot read the log', async () => {
      const message = stream + 1 === end.stream ? end : await subject.next(stream + 1)
      if (message === undefined) throw behind(end.last)
      return message
    })
    yield found
    stream = found.stream
  }
}

/** From an ordered consumer, without asking for each. Ends early when that fails. */
async function* runOf({ client, stream }: Connection, subject: Subject, { from, end }: Way): AsyncGenerator<Message> {
  try {
    const consumer = await client.consumers.get(stream, {
      filter_subjects: subject.name,
      deliver_policy: 'by_start_sequence',
      opt_start_seq: from.stream + 1,
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

/** J5 */
export async function letAnotherLead({ nats, manager, stream, warn }: Connection, { session }: Subject): Promise<void> {
  const leader = await manager.streams.info(stream).then(
    ({ cluster }) => cluster?.leader,
    () => undefined,
  )
  warn(
    `${leader ?? 'a server'} keeps another history of session ${session} than the others, and is asked not to lead; renew its copy: nats stream edit ${stream} --replicas 1, then 3`,
  )
  await nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`).catch(() => undefined)
}
