/** The daemon, put together: what it is made of, and where it is found. */
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import about from '../package.json' with { type: 'json' }
import { health, recovery } from './care.ts'
import { folderOf } from './compose.ts'
import { operations } from './compose/operations.ts'
import { takeInSpool } from './compose/spool.ts'
import { inbox } from './domain/observability/inbox.ts'
import { watchFolder } from './drivers/files/watch.ts'
import { evidence } from './drivers/process/evidence.ts'
import { self } from './drivers/process/identity.ts'
import type { OpenWishes } from './drivers/vault/vault.ts'
import { glanceAt } from './glance.ts'
import { actor, assertOptions, text, type Rule } from './kernel/arguments.ts'
import type { Workspace } from './kernel/workspace.ts'
import type { Daemon, DaemonOptions, DaemonParts } from './surfaces/http/parts.ts'

export interface ServeOptions extends DaemonOptions {
  /** Who asks where a request does not say so. */
  readonly actor?: string | undefined
  /** The file that is looked at, where it is no workspace of its own. */
  readonly source?: string | undefined
}

const SERVE: Readonly<Record<keyof ServeOptions, Rule>> = {
  port: {
    fits: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    must: 'must be 0 to 65535',
  },
  actor,
  source: text,
}

const pages = (): string => fileURLToPath(new URL('./web', import.meta.url))

/** Serves a workspace that lies in a folder to programs and pages of this machine. Throws DAEMON_RUNNING or PORT_TAKEN. */
export async function serve(workspace: Workspace, options: ServeOptions = {}): Promise<Daemon> {
  const folder = folderOf(workspace, 'serve')
  workspace.assertOpen()
  assertOptions('serve', options, SERVE)
  const parts: DaemonParts = {
    workspace,
    folder,
    source: options.source,
    version: about.version,
    pages: pages(),
    actor: options.actor ?? 'human:local',
    self,
    evidence,
    glance: glanceAt,
    inbox,
    recovery,
    health,
    now: Date.now,
    warn: (message) => workspace.kernel.warn(message),
    mcp: async (desk) => (await import('./mcp.ts')).mcpOverHttp(desk, (message) => workspace.kernel.warn(message)),
  }
  const { startDaemon } = await import('./surfaces/http/daemon.ts')
  const daemon = await startDaemon(parts, options)
  const unwatch = watchFolder(
    path.join(folder, 'spool'),
    alone(() => takeInSpool(workspace, folder)),
  )
  return endingWith(workspace, daemon, unwatch)
}

/** Whoever closes the workspace ends its daemon, also while that starts. */
async function endingWith(workspace: Workspace, daemon: Daemon, unwatch: () => void): Promise<Daemon> {
  const leave = async () => {
    workspace.leaving.delete(leave)
    await daemon.close()
  }
  workspace.leaving.add(leave)
  void daemon.ended.then(() => {
    unwatch()
    workspace.leaving.delete(leave)
  })
  try {
    workspace.assertOpen()
    return daemon
  } catch (error) {
    await leave()
    throw error
  }
}

/** Serves what lies in a file, to be looked at: a bundle, a folder with sessions, a log. */
export async function serveFile(file: string, wishes: OpenWishes, options: ServeOptions = {}): Promise<Daemon> {
  const { openFileView } = await import('./compose/file-view.ts')
  const view = await openFileView(file, wishes)
  const daemon = await serve(view.workspace, { ...options, source: file })
  const ended = daemon.ended.then(async (reason) => {
    await view.close()
    return reason
  })
  return { ...daemon, ended }
}

/** The daemon that holds the workspace in `folder`, dead or alive. */
export async function findDaemon(folder: string) {
  return (await import('./surfaces/http/record.ts')).findDaemon({ folder, evidence })
}

/** OpenAPI of the daemon's HTTP interface. */
export async function openApiDocument(): Promise<unknown> {
  const [{ openApi }, { ROUTES }] = await Promise.all([
    import('./surfaces/http/openapi.ts'),
    import('./surfaces/http/server.ts'),
  ])
  return openApi(ROUTES, await operations.all(), { version: about.version })
}

/** One at a time; what is asked for meanwhile is done once more. */
function alone(task: () => Promise<void>): () => void {
  let busy = false
  let again = false
  const run = async () => {
    again = true
    if (busy) return
    busy = true
    while (again) {
      again = false
      await task()
    }
    busy = false
  }
  return () => void run()
}
