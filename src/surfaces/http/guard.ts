/*
 * What is turned away before anything is read, and what every answer says to browsers.
 *
 * G1. The name asked for is one of ours, to the letter: another one that leads here is a rebound name.
 * G2. A request made by a page comes from our own page, by its Origin and by what the browser says of its site.
 * G3. A change asked for with the cookie alone must say that it comes from our page.
 * G4. There is no CORS: no other page reads an answer.
 */
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../../kernel/error.ts'

export const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
}

export const hostsOf = (port: number): ReadonlySet<string> =>
  new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])

const METHODS = new Set(['GET', 'HEAD', 'POST'])
/** What the browser says of a request by our own page, and of an address that a person typed. */
const OWN_SITE = new Set(['same-origin', 'none'])

type Asked = Pick<IncomingMessage, 'method' | 'headers' | 'headersDistinct'>

/** Why the request is turned away, whoever asks; undefined when it may go on. */
export function objection({ method = '', headers, headersDistinct }: Asked, hosts: ReadonlySet<string>) {
  const { host = '', origin } = headers
  if (!hosts.has(host) || (headersDistinct['host'] ?? []).length !== 1)
    return refused('HOST_REFUSED', `this is not ${host === '' ? 'a server without a name' : JSON.stringify(host)}`)
  if (origin !== undefined && !isOwn(origin, hosts))
    return refused('ORIGIN_REFUSED', `pages of ${JSON.stringify(origin)} may not ask here`)
  const site = headers['sec-fetch-site']
  if (site !== undefined && !OWN_SITE.has(String(site)))
    return refused('ORIGIN_REFUSED', `a request from another site (${String(site)}) is not answered`)
  if (METHODS.has(method)) return undefined
  return new EngineError('METHOD_NOT_ALLOWED', `${method} is not answered`, { hint: 'GET reads, POST writes' })
}

/** G3 */
export const comesFromPage = ({ headers }: Pick<Asked, 'headers'>): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin'

const isOwn = (origin: string, hosts: ReadonlySet<string>): boolean =>
  origin.startsWith('http://') && hosts.has(origin.slice('http://'.length))

const refused = (code: 'HOST_REFUSED' | 'ORIGIN_REFUSED', message: string): EngineError =>
  new EngineError(code, message, { hint: 'use the address that steadfold serve prints' })
