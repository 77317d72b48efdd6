/** What concerns the daemon itself, as its OpenAPI description tells it. */
import * as z from 'zod/mini'

export interface Own {
  readonly method: 'get' | 'post'
  readonly path: string
  /** Of the data it answers; null where the answer is a document of its own. */
  readonly name: string | null
  readonly summary: string
  readonly body?: z.ZodMiniObject
  readonly status: 200 | 201
  /** It asks for no token. */
  readonly isOpen?: boolean
}

export const ABOUT = {
  method: 'get',
  path: '/v1',
  name: 'daemon',
  summary: 'The daemon: its version, workspace, address and process',
  status: 200,
} as const satisfies Own

export const DESCRIPTION = {
  method: 'get',
  path: '/v1/openapi.json',
  name: null,
  summary: 'This description',
  status: 200,
} as const satisfies Own

export const LINK = {
  method: 'post',
  path: '/v1/links',
  name: 'link',
  summary: 'A link that opens the pages in a browser: once, within ten minutes',
  status: 201,
} as const satisfies Own

export const LOGIN = {
  method: 'post',
  path: '/v1/login',
  name: 'login',
  summary: 'The word of a link, for the cookie of a browser',
  body: z.strictObject({ token: z.string() }),
  status: 200,
  isOpen: true,
} as const satisfies Own

export const OWN: readonly Own[] = [ABOUT, DESCRIPTION, LINK, LOGIN]
