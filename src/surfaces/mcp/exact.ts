/*
 * Lines of the input before the SDK reads them as JSON.
 *
 * X1. A request that would be read as something else is not read: a number that a double changes, a key that stands twice,
 *     bytes that are no UTF-8. Over HTTP such a body is refused, too.
 * X2. What asks under an id is answered under it, also where it is no request as the protocol has them: the SDK drops that.
 * X3. Handshakes up to 2025-03-26 let a client send several in one list, of which the SDK knows nothing: each is read by itself.
 * X4. What is too large is refused, as over HTTP: the SDK would end the conversation.
 */
import { isUtf8 } from 'node:buffer'
import { Transform, type Readable } from 'node:stream'
import { ProtocolErrorCode, type JSONRPCErrorResponse } from '@modelcontextprotocol/server'
import { EngineError } from '../../kernel/error.ts'
import { membersOf } from '../../kernel/json/members.ts'
import { parseJsonText } from '../../kernel/json/text.ts'
import { asFailure } from './errors.ts'

const NEWLINE = 0x0a
const MOST_BYTES = 8 * 1024 * 1024

/** Does not end with the input: the SDK's transport would close, whatever is still open. */
export function exactLines(input: Readable, refuse: (answer: JSONRPCErrorResponse) => void): Readable {
  let held: Buffer[] = []
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...held, chunk.subarray(from, at + 1)])
        held = []
        from = at + 1
        for (const message of messagesIn(line)) {
          const no = refusalOf(message)
          if (no !== undefined) refuse(no)
          else if (message.length <= MOST_BYTES) this.push(message)
        }
      }
      if (from < chunk.length) held.push(chunk.subarray(from))
      done()
    },
  })
  input.pipe(lines, { end: false })
  // The last line may have no end; a message that was cut is no JSON.
  input.once('end', () => held.length > 0 && lines.write('\n'))
  return lines
}

/** X3; a list with what X1 refuses in it is left out whole. */
function messagesIn(line: Buffer): readonly Buffer[] {
  if (!/^\s*\[/.test(line.toString('latin1', 0, 100)) || !isUtf8(line)) return [line]
  try {
    const value = parseJsonText(line.toString('utf8'))
    const all: readonly unknown[] = Array.isArray(value) ? value : []
    return all.length === 0 ? [line] : all.map((each) => Buffer.from(`${JSON.stringify(each)}\n`))
  } catch {
    return [line]
  }
}

function refusalOf(line: Buffer): JSONRPCErrorResponse | undefined {
  const text = line.toString('utf8')
  if (line.length > MOST_BYTES) return answerTo(text, tooLarge())
  if (!isUtf8(line)) return answerTo(text, new EngineError('JSON_INVALID', 'the line is not UTF-8'))
  try {
    return strangeRequest(parseJsonText(text))
  } catch (error) {
    // All else is the SDK's to answer, or the operation's.
    const isOurs = error instanceof EngineError && /^(?:NUMBER_NOT_EXACT|KEY_DUPLICATE)$/.test(error.code)
    return isOurs ? answerTo(text, error) : undefined
  }
}

const tooLarge = (): EngineError =>
  new EngineError('VALUE_TOO_LARGE', `a message may have ${MOST_BYTES} bytes`, {
    hint: 'keep large content in a file and send its path',
  })

/** X2 */
function strangeRequest(value: unknown): JSONRPCErrorResponse | undefined {
  const { jsonrpc, id, method, result, error } = membersOf(value)
  if (!isId(id) || result !== undefined || error !== undefined) return undefined
  if (jsonrpc === '2.0' && typeof method === 'string') return undefined
  const message = `a request has jsonrpc "2.0" and the name of a method, not ${JSON.stringify({ jsonrpc, method })}`
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } }
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || typeof id === 'number'

/** Nobody waits for an answer to what is no request. */
function answerTo(line: string, error: EngineError): JSONRPCErrorResponse | undefined {
  const { id, method } = membersOf(parsed(line))
  if (typeof method !== 'string' || !isId(id)) return undefined
  const { code, message, data } = asFailure(error)
  return { jsonrpc: '2.0', id, error: { code, message, data } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
