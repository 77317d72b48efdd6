/*
 * What a request carries.
 *
 * B1. Only JSON, and only by that name: a form of another site cannot send it unasked.
 * B2. Nothing is read past the limit, nor at all when the length already says too much. Nothing compressed is opened.
 */
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../../kernel/error.ts'
import { isMembers } from '../../kernel/json/members.ts'
import { parseJsonText } from '../../kernel/json/text.ts'

const BODY_BYTES = 8 * 1024 * 1024
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?$/i

/** The object that was sent; an empty one when nothing was. */
export async function bodyOf(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const { headers } = incoming
  if (!JSON_TYPE.test(headers['content-type'] ?? '') || headers['content-encoding'] !== undefined)
    throw new EngineError('MEDIA_TYPE_UNSUPPORTED', 'only JSON is taken, uncompressed', {
      hint: 'send Content-Type: application/json',
    })
  if (Number(headers['content-length'] ?? 0) > BODY_BYTES) throw tooLarge()
  const text = await textOf(incoming)
  const value = text.trim() === '' ? {} : parseJsonText(text)
  if (isMembers(value)) return value
  throw new EngineError('JSON_INVALID', 'the body is not a JSON object', { hint: 'send an object: {…}' })
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The chunks of a request are buffers as long as no encoding is set; it stays open, for there is an answer to send.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new EngineError('JSON_INVALID', 'the body is not UTF-8', { cause })
  }
}

const tooLarge = (): EngineError =>
  new EngineError('VALUE_TOO_LARGE', `a body may have ${BODY_BYTES} bytes`, {
    hint: 'keep large content in a file and send its path',
  })
