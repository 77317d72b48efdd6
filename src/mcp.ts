/** MCP, put together: the sessions of a workspace, and what is derived from them. */
import about from '../package.json' with { type: 'json' }
import { inbox } from './domain/observability/inbox.ts'
import { glanceAt } from './glance.ts'
import type { Workspace } from './kernel/workspace.ts'
import type { McpParts, Sessions } from './surfaces/mcp/parts.ts'

export interface McpOptions {
  /** The session that is meant where a call names none. */
  readonly session?: string | undefined
  /** Who asks where a call does not say so. */
  readonly actor?: string | undefined
  /** The workspace, where the server was told which. */
  readonly dir?: string | undefined
}

/** Serves the workspace on the standard input and output of this process, until the input ends. */
export async function mcpOnStdio(workspace: Workspace, { signal, ...options }: McpOptions & { signal: AbortSignal }) {
  const [{ Desk }, { workspaceOffer }, { serveStdio }] = await Promise.all([
    import('./surfaces/http/desk.ts'),
    import('./surfaces/mcp/workspace-offer.ts'),
    import('./surfaces/mcp/stdio.ts'),
  ])
  const warn = (message: string) => workspace.kernel.warn(message)
  const desk = new Desk(workspace, warn)
  await desk.open()
  const offer = await workspaceOffer(partsOf(desk, warn, options))
  const served = serveStdio(offer, { input: process.stdin, output: process.stdout, warn })
  const close = () => void served.close()
  signal.addEventListener('abort', close)
  if (signal.aborted) close()
  await served.ended
  signal.removeEventListener('abort', close)
  await desk.close()
}

/** For the daemon, which has the sessions at hand. */
export async function mcpOverHttp(sessions: Sessions, warn: (message: string) => void) {
  const [{ McpHttp }, { workspaceOffer }] = await Promise.all([
    import('./surfaces/mcp/http.ts'),
    import('./surfaces/mcp/workspace-offer.ts'),
  ])
  return new McpHttp(await workspaceOffer(partsOf(sessions, warn, {})), warn)
}

const partsOf = (sessions: Sessions, warn: (message: string) => void, options: McpOptions): McpParts => ({
  sessions,
  version: about.version,
  glance: glanceAt,
  inbox,
  warn,
  ...options,
})
