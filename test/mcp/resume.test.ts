/** A client of the older handshake whose stream of changes breaks, and who comes back with the id of the last message that it got. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Served } from '../http/served.ts'

const URI = 'steadfold://sessions/build/tasks'

let served: Served
let headers: Readonly<Record<string, string>>

beforeEach(async () => {
  served = await Served.open()
  await (await served.workspace.createSession({ name: 'build' })).close()
  headers = {
    Authorization: `Bearer ${served.record.token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const clientInfo = { name: 'x', version: '1' }
  const answer = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const id = answer.headers.get('mcp-session-id') ?? ''
  headers = { ...headers, 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' }
  await post('resources/subscribe', { uri: URI })
})
afterEach(() => served.remove())

async function post(method: string, params: unknown = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params })
  const answer = await fetch(`${served.daemon.url}/mcp`, { method: 'POST', headers, body })
  await answer.text()
  return answer
}

async function change(): Promise<void> {
  const session = await served.workspace.session('build')
  await session.run('task.add', { title: 'from elsewhere' })
  await session.close()
}

/** The stream of changes behind the message `last`. */
async function stream(last: string | undefined, signal: AbortSignal): Promise<Response> {
  const resumed = last === undefined ? {} : { 'Last-Event-ID': last }
  for (;;) {
    const answer = await fetch(`${served.daemon.url}/mcp`, { headers: { ...headers, ...resumed }, signal })
    // Until it is noticed that the one of before broke.
    if (answer.status !== 409) return answer
    await answer.text()
  }
}

/** The id of the next change of which the stream tells; then the stream breaks. */
async function told(last: string | undefined, meanwhile: () => Promise<unknown>): Promise<string> {
  const leave = new AbortController()
  const { status, body } = await stream(last, leave.signal)
  expect(status).toBe(200)
  await meanwhile()
  let text = ''
  try {
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      const [, id] = /^id: (.+)\ndata: .*"uri":"steadfold:\/\/sessions\/build\/tasks"/m.exec(text) ?? []
      if (id !== undefined) return id
    }
    throw new Error(`the stream ended: ${text}`)
  } finally {
    leave.abort()
  }
}

test('is told of what changed meanwhile, and of nothing twice', async () => {
  const first = await told(undefined, change)
  await change()
  const second = await told(first, () => Promise.resolve())
  expect(second).not.toBe(first)
  expect(await told(second, change)).not.toBe(second)
})

test('goes on when what it saw last is not kept any more', async () => {
  const first = await told(undefined, change)
  // Each of them leaves two messages.
  for (let i = 0; i < 300; i++) await post('ping')
  expect(await told(first, change)).not.toBe(first)
})
