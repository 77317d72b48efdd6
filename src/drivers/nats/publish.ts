/* One message to the end of a log, and who was first there. */
import type { PubAck } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { asError, isError } from '../../kernel/error.ts'
import { pause } from '../../kernel/log/pause.ts'
import { sleep, type Connection } from './connection.ts'
import { asFailure, isPassing, isStale, unsure } from './failure.ts'
import type { Piece } from './pieces.ts'
import { BEHIND, HEADERS, PLACE, type Message, type Subject } from './subject.ts'

const ANSWER_MS = 3000

/**
 * J3: the number of the message when it counts; undefined when another was first. `behind` is the one it goes behind. A
 * cluster may store several behind one, so there an answer is believed when nothing stands between, or after a look.
 */
export async function publish(
  connection: Connection,
  subject: Subject,
  piece: Piece,
  behind: number,
): Promise<number | undefined> {
  const { patience } = connection.address
  const began = Date.now()
  // A fork has the same lines: ids are the stream's, which all sessions share.
  let msgID = `${subject.session}/${piece.last.hash}`
  for (let attempt = 0; ; attempt++) {
    const answer = await sent(connection, subject, piece, { behind, msgID })
    if (isError(answer)) {
      // Nothing of ours is there when the first answer is a no.
      if (isStale(answer) && attempt === 0) return undefined
      if (!isStale(answer) && !isPassing(answer)) throw asFailure(answer, 'cannot append')
    } else if (isAlone(answer, behind, connection)) return answer.seq
    const first = await firstLike(subject, piece, behind).catch(() => undefined)
    if (first !== undefined) return first.hash === piece.last.hash ? first.stream : undefined
    // A leader that was cut off may remember the id of what was never stored; what is stored twice counts once (J4).
    if (!isError(answer) && answer.duplicate) msgID = `${subject.session}/${piece.last.hash}/${attempt}`
    if (!patience.lasts(began, answer)) throw unsure(subject.session, answer)
    await sleep(pause(attempt, Math.random()))
  }
}

interface Sending {
  readonly behind: number
  readonly msgID: string
}

async function sent(
  { address, client, headers }: Connection,
  subject: Subject,
  piece: Piece,
  { behind, msgID }: Sending,
): Promise<PubAck | Error> {
  const options = {
    headers: headersOf(headers(), piece, behind),
    msgID,
    expect: { lastSubjectSequence: behind },
    timeout: ANSWER_MS,
    retries: 1,
  }
  try {
    return await address.patience.tried(() => client.publish(subject.name, piece.bytes, options))
  } catch (error) {
    return asError(error)
  }
}

const isAlone = ({ duplicate, seq }: PubAck, behind: number, { alone }: Connection): boolean =>
  !duplicate && (alone || seq === behind + 1)

/** J4: of those behind `behind` that begin where the piece begins. Those of earlier races begin before. */
async function firstLike(subject: Subject, piece: Piece, behind: number): Promise<Message | undefined> {
  let message = await subject.next(behind + 1)
  while (message !== undefined && message.first < piece.first) message = await subject.next(message.stream + 1)
  return message
}

function headersOf(made: MsgHdrs, { first, last, start }: Piece, behind: number): MsgHdrs {
  made.set(HEADERS.first, String(first))
  made.set(HEADERS.last, String(last.seq))
  made.set(HEADERS.hash, last.hash)
  made.set(BEHIND, String(behind))
  made.set(PLACE.segment, String(start.segment))
  made.set(PLACE.offset, String(start.offset))
  return made
}
