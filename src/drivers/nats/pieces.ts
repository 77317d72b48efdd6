import { EngineError } from '../../kernel/error.ts'
import type { Encoded, Lines, Position } from '../../kernel/ports.ts'

/** Lines that go into one message. */
export interface Piece {
  readonly first: number
  readonly last: Encoded
  readonly bytes: Buffer
  readonly start: Position
  readonly end: Position
}

/** As many whole lines to a piece as it takes. */
export function* piecesOf({ lines, bytes }: Lines, after: Position, most: number): Generator<Piece> {
  let start = after
  let below = 0
  for (let next = 0; next < lines.length;) {
    const from = next
    while (next < lines.length && (lines[next]?.end ?? 0) - below <= most) next++
    const last = lines[next - 1]
    if (next === from || last === undefined) throw tooLarge(most)
    const cut = bytes.subarray(below, last.end)
    const { seq, hash, seal } = last
    const offset = start.offset + cut.length
    const end = seal ? { seq, hash, segment: seq + 1, offset: 0 } : { seq, hash, segment: start.segment, offset }
    yield { first: start.seq + 1, last, bytes: cut, start, end }
    start = end
    below = last.end
  }
}

const tooLarge = (most: number): EngineError =>
  new EngineError('VALUE_TOO_LARGE', `the commit would be larger than the ${most} bytes that a message may have`, {
    hint: 'raise max_payload of the servers, or keep large values in a file and store its path',
  })
