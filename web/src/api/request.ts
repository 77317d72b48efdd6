/** Requests to the daemon. It answers `{schema, data, …}`, or `{error}` with what to do next. */

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, { status = 0, code = 'UNREACHABLE', hint }: ApiErrorInit = {}) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
  }
}

interface ApiErrorInit {
  readonly status?: number
  readonly code?: string
  readonly hint?: string | undefined
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** `data`, and what stands beside it, such as `next`. */
export type Envelope<Data, More = unknown> = { readonly data: Data } & More

/** Reads a path below `/v1`. */
export function read<Data, More = unknown>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Envelope<Data, More>> {
  return request(addressOf(path, query), { signal: signal ?? null })
}

interface PostOptions {
  /** It goes on, and a cookie that is answered is kept, also when the page is left. */
  readonly keepalive?: boolean
}

/** Posts JSON to a path below `/v1`. */
export async function post<Data>(path: string, body: unknown, { keepalive = false }: PostOptions = {}): Promise<Data> {
  const headers = { 'Content-Type': 'application/json' }
  const { data } = await request<Data, unknown>(addressOf(path), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    keepalive,
  })
  return data
}

/** The path of a session below `/v1`. */
export const sessionPath = (session: string, rest: string): string =>
  `sessions/${encodeURIComponent(session)}${rest === '' ? '' : `/${rest}`}`

function addressOf(path: string, query: Query = {}): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) words.append(name, String(each))
  return `/v1${path === '' ? '' : `/${path}`}${words.size === 0 ? '' : `?${words.toString()}`}`
}

/** What went wrong, from an answer that is not fine. */
export async function failureOf(response: Response): Promise<ApiError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const error = isMembers(body) && isMembers(body['error']) ? body['error'] : {}
  const text = (name: string) => (typeof error[name] === 'string' ? error[name] : undefined)
  return new ApiError(text('message') ?? `the daemon answered ${status}`, {
    status,
    code: text('code') ?? 'UNEXPECTED',
    hint: text('hint'),
  })
}

async function request<Data, More>(address: string, init: RequestInit): Promise<Envelope<Data, More>> {
  const response = await fetch(address, init).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error
    throw new ApiError('the daemon cannot be reached', { hint: 'steadfold ui' })
  })
  if (!response.ok) throw await failureOf(response)
  // The daemon is of the same build as this page: its answers have the types it was compiled with.
  return (await response.json()) as Envelope<Data, More>
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
