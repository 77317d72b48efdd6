/** The official client, connected to a workspace every way there is. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { plainEnv, PROGRAM } from '../cli/binary.ts'
import { Served } from '../http/served.ts'

export type Way = 'stdio' | 'http'
export type Era = 'legacy' | 'auto'

export const WAYS: readonly (readonly [Way, Era, string])[] = [
  ['stdio', 'legacy', '2025-11-25'],
  ['stdio', 'auto', '2026-07-28'],
  ['http', 'legacy', '2025-11-25'],
  ['http', 'auto', '2026-07-28'],
]

export interface Reached {
  readonly client: Client
  readonly served: Served
  end(): Promise<void>
}

/** A workspace with the session `build`, and a client called `tester`. */
export async function reach(way: Way, mode: Era): Promise<Reached> {
  const served = await Served.open()
  const session = await served.workspace.createSession({ name: 'build', goal: 'Ship it' })
  await session.close()
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport(way, served))
  const end = async () => {
    await client.close()
    await served.remove()
  }
  return { client, served, end }
}

function transport(way: Way, { dir, daemon, record }: Served) {
  if (way === 'http') {
    const headers = { Authorization: `Bearer ${record.token}` }
    return new StreamableHTTPClientTransport(new URL('/mcp', daemon.url), { requestInit: { headers } })
  }
  // All of them are texts: what is undefined was left out.
  const env = plainEnv() as Record<string, string>
  return new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', '--dir', dir], env })
}
