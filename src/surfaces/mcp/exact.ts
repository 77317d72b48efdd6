/*
 * Lines of the input before the SDK reads them as JSON.
 *
 * X1. A request that would be read as something else is not read: a number that a double changes, a key that stands twice.
 *     Over HTTP such a body is refused, too.
 */
import { Transform, type Readable } from 'node:stream'
import type { JSONRPCErrorResponse } from '@modelcontextprotocol/server'
import { EngineError } from '../../kernel/error.ts'
import { parseJsonText } from '../../kernel/json-text.ts'
import { asFailure } from './errors.ts'

const NEWLINE = 0x0a

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
        const no = refusalOf(line.toString('utf8'))
        if (no === undefined) this.push(line)
        else refuse(no)
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

function refusalOf(line: string): JSONRPCErrorResponse | undefined {
  try {
    parseJsonText(line)
    return undefined
  } catch (error) {
    // All else is the SDK's to answer, or the operation's.
    if (!(error instanceof EngineError) || !/^(?:NUMBER_NOT_EXACT|KEY_DUPLICATE)$/.test(error.code)) return undefined
    const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method?: unknown }
    if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined
    const { code, message, data } = asFailure(error)
    return { jsonrpc: '2.0', id, error: { code, message, data } }
  }
}
