/** The only file that knows drivers, modules and surfaces. */
import * as path from 'node:path'
import { dataModule } from './domain/data/data.ts'
import { sessionModule } from './domain/session/session.ts'
import { makeFolder } from './drivers/files/durable.ts'
import { FilesLog } from './drivers/files/files.ts'
import { host } from './drivers/host/host.ts'
import { makeFolder as makeEventFolder } from './kernel/fold.ts'
import { DEFAULTS, type Kernel, type Settings } from './kernel/kernel.ts'
import type { Log } from './kernel/ports.ts'
import { catalogue } from './kernel/catalogue.ts'
import { Workspace } from './kernel/workspace.ts'
import { makeCheckpoint } from './kernel/make-checkpoint.ts'

const modules = [sessionModule, dataModule]
const operations = catalogue({
  session: async () => (await import('./domain/session/operations.ts')).sessionOperations,
  state: async () => (await import('./domain/data/operations.ts')).dataOperations,
})

export function makeKernel(log: Log, settings: Partial<Settings> = {}): Kernel {
  const kernel: Kernel = {
    log, host, modules, operations,
    folder: makeEventFolder(modules),
    settings: { ...DEFAULTS, ...settings },
    queryEngine: async () => (await import('./drivers/jsonpath/jsonpath.ts')).queryEngine,
    checkpoint: (session) => makeCheckpoint(kernel, session),
    warn: (message) => process.emitWarning(message, 'Steadfold'),
  }
  return kernel
}

export interface OpenOptions {
  /** Folder that holds, or will hold, `.steadfold/`. */
  readonly dir: string
  readonly create?: boolean
  readonly settings?: Partial<Settings>
}

/** Opens the workspace in `dir`; makes it when missing. */
export async function openWorkspace({ dir, create = true, settings = {} }: OpenOptions): Promise<Workspace> {
  const root = path.resolve(dir, '.steadfold')
  if (create) makeFolder(root)
  return new Workspace(makeKernel(new FilesLog(root, host.sha256), settings))
}
