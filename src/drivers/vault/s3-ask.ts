/*
 * One request to an S3-compatible store, signed and answered whole.
 *
 * A1. A store that says nothing for as long as the patience lasts, or nothing more in the middle of its answer, is given up.
 *     The signal goes to `fetch` itself: one that a `Request` was made with follows its caller's only until that `Request`
 *     is garbage, which it may be as soon as it was sent.
 * A2. What passes is asked again: two who wrote at once, and a store that has too much to do.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AwsClient } from 'aws4fetch'
import { EngineError } from '../../kernel/error.ts'
import { pause } from '../../kernel/log/pause.ts'
import { patienceFor, Silence, silent } from './patience.ts'

export interface Put {
  readonly method?: 'PUT'
  readonly body?: Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

export type Ask = (path: string, init?: Put) => Promise<Answer>

const ATTEMPTS = 5
const CONFLICT = 409
const TOO_MANY = 429
const passes = (status: number): boolean => status === CONFLICT || status === TOO_MANY || status >= 500

/** Asks for paths of the bucket; `patience` in ms. */
export const askerOf =
  (client: AwsClient, { endpoint, bucket }: { endpoint: string; bucket: string }, patience: number): Ask =>
  async (path, init = {}) => {
    const giveUp = new AbortController()
    const most = patienceFor(patience, init.body?.length ?? 0)
    const silence = new Silence(most, () => giveUp.abort())
    const url = `${endpoint.replace(/\/+$/, '')}/${bucket}${path}`
    try {
      for (let attempt = 1; ; attempt += 1) {
        const response = await fetch(await client.sign(url, init), { signal: giveUp.signal })
        const answer = await read(response, () => silence.heard())
        if (!passes(answer.status) || attempt === ATTEMPTS) return answer
        await sleep(pause(attempt, Math.random()))
      }
    } catch (error) {
      if (giveUp.signal.aborted) throw silent(endpoint, most)
      throw new EngineError('STORE_UNAVAILABLE', `cannot reach ${endpoint}`, {
        hint: 'is the endpoint right?',
        cause: error,
      })
    } finally {
      silence.over()
    }
  }

async function read(response: Response, heard: () => void): Promise<Answer> {
  heard()
  const parts: Uint8Array[] = []
  for await (const part of response.body ?? []) {
    heard()
    parts.push(part)
  }
  return { status: response.status, body: Buffer.concat(parts) }
}
