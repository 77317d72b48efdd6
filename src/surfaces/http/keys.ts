/*
 * Who may ask.
 *
 *   token (0600 file)  ──►  Authorization: Bearer …            programs
 *   one-time link      ──►  POST /v1/login  ──►  cookie        a browser
 *
 * K1. A link opens once, and for ten minutes.
 * K2. The cookie is made from the token and does not tell it: it holds as long as the token does.
 * K3. Comparisons take the same time whatever they compare.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parse } from 'hono/utils/cookie'

const BYTES = 32
const LINK_MS = 10 * 60_000
const MOST_LINKS = 100

export const newToken = (): string => randomBytes(BYTES).toString('base64url')

export class Keys {
  /** Cookies know no ports: two daemons of one machine share the jar. */
  readonly cookieName: string
  readonly #token: string
  readonly #cookie: string
  readonly #links = new Map<string, number>()

  constructor(token: string, port: number) {
    this.#token = token
    this.#cookie = createHmac('sha256', token).update('cookie').digest('base64url')
    this.cookieName = `steadfold-${port}`
  }

  /** A one-time word for the fragment of a link, and when it ends. */
  issue(now: number): { readonly word: string; readonly expires: number } {
    const word = newToken()
    const expires = now + LINK_MS
    for (const [each, until] of this.#links) if (until < now) this.#links.delete(each)
    const [oldest] = this.#links.keys()
    if (this.#links.size >= MOST_LINKS && oldest !== undefined) this.#links.delete(oldest)
    this.#links.set(digest(word), expires)
    return { word, expires }
  }

  /** K1: the value of `Set-Cookie`, or nothing. */
  redeem(word: string, now: number): string | undefined {
    const key = digest(word)
    const expires = this.#links.get(key)
    this.#links.delete(key)
    if (expires === undefined || expires < now) return undefined
    return `${this.cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`
  }

  admits(authorization: string | undefined, cookies: string | undefined): 'token' | 'cookie' | undefined {
    if (authorization !== undefined) return same(wordOf(authorization), this.#token) ? 'token' : undefined
    const cookie = cookies === undefined ? undefined : parse(cookies, this.cookieName)[this.cookieName]
    return cookie !== undefined && same(cookie, this.#cookie) ? 'cookie' : undefined
  }
}

/** Of the token; the name of the scheme is written in any case: RFC 9110, 11.1. */
const wordOf = (authorization: string): string => /^bearer (\S+)$/i.exec(authorization)?.[1] ?? ''

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** K3 */
const same = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)))
