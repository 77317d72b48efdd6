/*
 * A bucket of any S3-compatible store: `s3://bucket/prefix?endpoint=https://…&region=…`. Keys come from the environment,
 * as for other tools: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL.
 *
 * Objects are made with `If-None-Match: *`. A store that knows no such condition is met by asking it: it is refused,
 * since two who push at the same time would overwrite each other.
 */
import { EngineError } from '../../kernel/error.ts'
import type { Depot, Item } from './depot.ts'
import { PATIENCE_MS } from './patience.ts'
import { type Answer, askerOf, type Ask, type Put } from './s3-ask.ts'

type Env = Readonly<Record<string, string | undefined>>

const TAKEN = 412

export async function s3Depot(url: string, env: Env, patience: number = PATIENCE_MS): Promise<Depot> {
  const { AwsClient } = await import('aws4fetch')
  const { host: bucket, pathname, searchParams } = new URL(url)
  // An empty variable is none.
  const said = (name: string) => env[name] || undefined
  const region = searchParams.get('region') ?? said('AWS_REGION') ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint') ?? said('AWS_ENDPOINT_URL') ?? `https://s3.${region}.amazonaws.com`
  const [accessKeyId, secretAccessKey] = [said('AWS_ACCESS_KEY_ID'), said('AWS_SECRET_ACCESS_KEY')]
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new EngineError('STORE_UNAVAILABLE', `there are no keys for ${bucket}`, {
      hint: 'export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    })
  const sessionToken = said('AWS_SESSION_TOKEN')
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    ...(sessionToken === undefined ? {} : { sessionToken }),
  })
  const ask = askerOf(client, { endpoint, bucket }, patience)
  return new S3Depot(bucket, pathname.replace(/^\/+|\/+$/g, ''), ask)
}

class S3Depot implements Depot {
  readonly what: string
  readonly #prefix: string
  readonly #ask: Ask
  #isConditional: boolean | undefined

  constructor(bucket: string, folder: string, ask: Ask) {
    this.what = `s3://${bucket}/${folder}`
    this.#prefix = folder === '' ? '' : `${folder}/`
    this.#ask = ask
  }

  async list(prefix: string, after = ''): Promise<readonly string[]> {
    const names: string[] = []
    let token: string | undefined
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: this.#prefix + prefix })
      if (after !== '') query.set('start-after', this.#prefix + after)
      if (token !== undefined) query.set('continuation-token', token)
      const text = this.#sound(await this.#ask(`/?${query.toString()}`), 'list').toString('utf8')
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(plainXml(key).slice(this.#prefix.length))
      token = /<IsTruncated>true</.test(text)
        ? plainXml(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '')
        : undefined
    } while (token !== undefined && token !== '')
    return names.filter((name) => name > after).sort()
  }

  async get(name: string): Promise<Buffer | undefined> {
    const answer = await this.#ask(this.#path(name))
    return answer.status === 404 ? undefined : this.#sound(answer, 'read')
  }

  async putNew(objects: readonly Item[]): Promise<boolean> {
    await this.#assertConditional()
    let made = true
    for (const object of objects) made = await this.#put(object)
    return made
  }

  async #put({ name, bytes }: Item): Promise<boolean> {
    const init: Put = { method: 'PUT', body: new Uint8Array(bytes), headers: { 'If-None-Match': '*' } }
    const answer = await this.#ask(this.#path(name), init)
    if (answer.status === TAKEN) return this.#isOurs(name, bytes)
    this.#sound(answer, 'write')
    return true
  }

  /** A request that was sent again after its answer was lost meets its own object. */
  async #isOurs(name: string, bytes: Buffer): Promise<boolean> {
    return (await this.get(name))?.equals(bytes) ?? false
  }

  /** Asked once: the same object twice, of which the second must be refused. */
  async #assertConditional(): Promise<void> {
    if (this.#isConditional === true) return
    const init: Put = { method: 'PUT', body: new TextEncoder().encode('steadfold'), headers: { 'If-None-Match': '*' } }
    await this.#ask(this.#path('conditional'), init)
    const again = await this.#ask(this.#path('conditional'), init)
    this.#isConditional = again.status === TAKEN
    if (this.#isConditional) return
    if (again.status >= 400) this.#sound(again, 'write')
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `${this.what} ignores conditions: two who push at once would overwrite each other`,
      {
        hint: 'use a store that knows If-None-Match on PUT, a folder, or git',
      },
    )
  }

  #sound({ status, body }: Answer, doing: string): Buffer {
    if (status >= 200 && status < 300) return body
    const code = /<Code>([^<]*)</.exec(body.toString('utf8'))?.[1] ?? ''
    throw new EngineError('STORE_UNAVAILABLE', `cannot ${doing} at ${this.what}: ${status} ${code}`.trim(), {
      hint: status === 403 ? 'are the keys right, and may they?' : 'does the bucket exist?',
    })
  }

  #path(name: string): string {
    return `/${this.#prefix}${name}`.split('/').map(encodeURIComponent).join('/')
  }
}

const plainXml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
