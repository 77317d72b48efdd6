import * as path from 'node:path'
import about from '../package.json' with { type: 'json' }
import { health, recovery, retention } from './care.ts'
import { folderOf, makeWorkspace, memoryKernel, openRunner, openWorkspace } from './compose.ts'
import { operations, relaySigner } from './compose/operations.ts'
import { takeFrom } from './compose/spool.ts'
import { folderFor } from './compose/store.ts'
import { exportCraft } from './domain/exports/craft.ts'
import { cloudEvents, eventLines } from './domain/exports/events.ts'
import { markdownReport } from './domain/exports/markdown.ts'
import { detect, readers } from './domain/imports/registry.ts'
import { shapeOf } from './domain/imports/shape.ts'
import { inbox } from './domain/observability/inbox.ts'
import { metricsOf } from './domain/observability/metrics.ts'
import { recentEvents } from './domain/observability/recent.ts'
import { ancestorCalled } from './drivers/process/ancestor.ts'
import { glanceAt, lostAt } from './glance.ts'
import { loadDefinition } from './runner/load.ts'
import { findDaemon, openApiDocument, serve, serveFile } from './serve.ts'
import type { App, HandedIn } from './surfaces/cli/context/app.ts'
import { performCold } from './surfaces/cli/parse/cold.ts'
import { leaveSignals, world } from './surfaces/cli/process/world.ts'
import { processIo } from './surfaces/cli/show/io.ts'
import { makeTable } from './surfaces/cli/table/commands.ts'
import { completionScript, handIn, shellFiles } from './surfaces/shell/shell.ts'

const beside = (name: string): string => path.join(import.meta.dirname, name)
const program = beside('steadfold.cjs')

const app: App = {
  version: about.version,
  program,
  examples: beside('../examples'),
  operations,
  openWorkspace,
  folderFor,
  runner: openRunner,
  loadWorkflow,
  transitionWith: async (context, input) =>
    (await import('./surfaces/cli/commands/transition.ts')).transitionWith(app, context, input),
  daemon: { serve, serveFile, find: findDaemon },
  mcp: async (workspace, options) => (await import('./mcp.ts')).mcpOnStdio(workspace, options),
  schemas: {
    openapi: openApiDocument,
    'craft-session': async () => (await import('./domain/imports/craft-schema.ts')).craftJsonSchema(),
    workflow: async () => (await import('./domain/workflow/schema.ts')).workflowJsonSchema(),
    'session-state': async () => (await import('./state-schema.ts')).sessionStateJsonSchema(),
  },
  recovery: {
    ...recovery,
    // Of sessions that it has just opened: one that is put away meanwhile does not stop the others.
    plan: lostAt,
    evidence: async (process) => (await import('./drivers/process/evidence.ts')).evidence(process),
  },
  callerOf: ancestorCalled,
  handIn,
  self: async () => (await import('./drivers/process/identity.ts')).self(),
  retention,
  overview: {
    glance: glanceAt,
    inbox,
    figures: health.ofSession,
    folderFigures: health.ofFolder,
    metrics: async (session, more) => metricsOf(await session.stateAt(), { now: session.now(), ...more }),
    recent: (session, commits) => recentEvents(commits, session.id),
  },
  exports: { craft: exportCraft, markdown: markdownReport, cloudevents: cloudEvents, events: eventLines },
  imports: { kinds: readers, detect, shapeOf, scratch: async () => makeWorkspace(memoryKernel()) },
  nostr: {
    makeKey: async (file) => (await import('./drivers/nostr/nostr.ts')).makeKey(file),
    sync: async (request) => (await import('./drivers/relay/relays.ts')).syncRelays(request, relaySigner),
  },
  database: async () => (await import('./drivers/sqlite/sqlite.ts')).SqliteTables.open(),
  vault: async (dir) => (await import('./compose/vault.ts')).openVault(dir),
  handedIn,
  adopt: (workspace, session, run) =>
    takeFrom(workspace, folderOf(workspace, 'adopt'), { ...run, session: session.id }),
  shell: shellFiles(program),
  completion: completionScript,
}

async function handedIn(folder: string): Promise<HandedIn> {
  const { Spool } = await import('./drivers/files/intake.ts')
  const spool = new Spool({ root: folder, now: Date.now })
  return {
    waiting: spool.list().map(({ session }) => session),
    unfinished: spool.unfinished(),
    rejected: spool.rejected(),
  }
}

async function loadWorkflow(file: string): Promise<unknown> {
  const { readWorkflowFile } = await import('./drivers/project/workflow-file.ts')
  const { value } = await loadDefinition(
    { dir: process.cwd(), readWorkflow: async (file) => readWorkflowFile(file) },
    { file },
  )
  return value
}

/** Does what the command line says; sets the exit status. */
export async function runCli(argv: readonly string[]): Promise<void> {
  process.exitCode = await performCold(app, makeTable(app), argv, world(processIo))
  leaveSignals()
}
