/*
 * A bucket of any S3-compatible store: `s3://bucket/prefix?endpoint=https://…&region=…`. Keys come from the environment,
 * as for other tools: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL.
 *
 * Objects are made with `If-None-Match: *`. A store that knows no such condition is met by asking it: it is refused,
 * since two who push at the same time would overwrite each other.
 */
import { EngineError } from '../../kernel/error.ts'
import type { Depot, Item } from './depot.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Of two who put at the same time, a store may tell both to try again. */
const AGAIN = 409
const TAKEN = 412
const ATTEMPTS = 5

export async function s3Depot(url: string, env: Env): Promise<Depot> {
  const { AwsClient } = await import('aws4fetch')
  const { host: bucket, pathname, searchParams } = new URL(url)
  const region = searchParams.get('region') ?? env['AWS_REGION'] ?? 'us-east-1'
  const endpoint = searchParams.get('endpoint') ?? env['AWS_ENDPOINT_URL'] ?? `https://s3.${region}.amazonaws.com`
  const [accessKeyId, secretAccessKey] = [env['AWS_ACCESS_KEY_ID'] ?? '', env['AWS_SECRET_ACCESS_KEY'] ?? '']
  if (accessKeyId === '' || secretAccessKey === '')
    throw new EngineError('STORE_UNAVAILABLE', `there are no keys for ${bucket}`, {
      hint: 'export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    })
  const sessionToken = env['AWS_SESSION_TOKEN']
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    retries: 3,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  })
  const ask = async (path: string, init?: RequestInit) => {
    try {
      return await client.fetch(`${endpoint.replace(/\/+$/, '')}/${bucket}${path}`, init)
    } catch (error) {
      throw new EngineError('STORE_UNAVAILABLE', `cannot reach ${endpoint}`, {
        hint: 'is the endpoint right?',
        cause: error,
      })
    }
  }
  return new S3Depot(bucket, pathname.replace(/^\/+|\/+$/g, ''), ask)
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

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
      const text = await (await this.#sound(await this.#ask(`/?${query.toString()}`), 'list')).text()
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(plainXml(key).slice(this.#prefix.length))
      token = /<IsTruncated>true</.test(text)
        ? plainXml(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '')
        : undefined
    } while (token !== undefined && token !== '')
    return names.filter((name) => name > after).sort()
  }

  async get(name: string): Promise<Buffer | undefined> {
    const response = await this.#ask(this.#path(name))
    if (response.status === 404) return undefined
    return Buffer.from(await (await this.#sound(response, 'read')).arrayBuffer())
  }

  async putNew(objects: readonly Item[]): Promise<boolean> {
    await this.#assertConditional()
    let made = true
    for (const object of objects) made = await this.#put(object)
    return made
  }

  async #put({ name, bytes }: Item): Promise<boolean> {
    const init = { method: 'PUT', body: new Uint8Array(bytes), headers: { 'If-None-Match': '*' } }
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#ask(this.#path(name), init)
      if (response.status === TAKEN) return this.#isOurs(name, bytes)
      if (response.status === AGAIN && attempt < ATTEMPTS) continue
      await this.#sound(response, 'write')
      return true
    }
  }

  /** A request that was sent again after its answer was lost meets its own object. */
  async #isOurs(name: string, bytes: Buffer): Promise<boolean> {
    return (await this.get(name))?.equals(bytes) ?? false
  }

  /** Asked once: the same object twice, of which the second must be refused. */
  async #assertConditional(): Promise<void> {
    if (this.#isConditional === true) return
    const init = { method: 'PUT', body: 'steadfold', headers: { 'If-None-Match': '*' } }
    await this.#ask(this.#path('conditional'), init)
    const again = await this.#ask(this.#path('conditional'), init)
    this.#isConditional = again.status === TAKEN
    if (this.#isConditional) return
    if (again.status >= 400) await this.#sound(again, 'write')
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `${this.what} ignores conditions: two who push at once would overwrite each other`,
      {
        hint: 'use a store that knows If-None-Match on PUT, a folder, or git',
      },
    )
  }

  async #sound(response: Response, doing: string): Promise<Response> {
    if (response.ok) return response
    const code = /<Code>([^<]*)</.exec(await response.text())?.[1] ?? ''
    throw new EngineError('STORE_UNAVAILABLE', `cannot ${doing} at ${this.what}: ${response.status} ${code}`.trim(), {
      hint: response.status === 403 ? 'are the keys right, and may they?' : 'does the bucket exist?',
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
