/** Puts the kernel, the modules and the drivers together, for the library and for every program. */
import { existsSync } from 'node:fs'
import * as path from 'node:path'
import { places } from './compose/document.ts'
import { isIndex } from './compose/indexes.ts'
import { modules } from './compose/modules.ts'
import { operations, type OperationCalls } from './compose/operations.ts'
import { takeInSpool } from './compose/spool.ts'
import { folderFor, isAddress, openStore, projectOf, type Store } from './compose/store.ts'
import { ownership } from './domain/session/transport.ts'
import { checkpointOnThread, hasProgram } from './drivers/checkpointer/thread.ts'
import { checkedSettings, openFolder, readSettings } from './drivers/files/config.ts'
import { logFacts } from './drivers/files/facts.ts'
import { hasFailedSync, noteFailedSync } from './drivers/files/failed-syncs.ts'
import { FilesLog } from './drivers/files/files.ts'
import { Layout } from './drivers/files/layout.ts'
import { placeOf } from './drivers/files/place.ts'
import { host } from './drivers/host/host.ts'
import { MemoryLog } from './drivers/memory/memory.ts'
import { assertFits, assertOptions, flag, text, type Rule } from './kernel/arguments.ts'
import { asError, EngineError } from './kernel/error.ts'
import { DEFAULTS, WARNING, type Kernel, type Settings, type SomeSettings } from './kernel/kernel.ts'
import { readOnlyLog } from './kernel/log/read-only.ts'
import type { Observer } from './kernel/observer.ts'
import { withCalls } from './kernel/operation/calls.ts'
import type { Here, Log } from './kernel/ports.ts'
import { makeRedactor } from './kernel/redact/redact.ts'
import { makeCheckpoint } from './kernel/replica/make-checkpoint.ts'
import type { Taken } from './kernel/replica/taken.ts'
import type { Session } from './kernel/session.ts'
import { makeFolder as makeEventFolder } from './kernel/state/fold.ts'
import type { Runner } from './kernel/work/runner.ts'
import { Workspace } from './kernel/workspace.ts'
import type { SessionState } from './state-schema.ts'

/** `get` without a path answers with the whole document, whose type the composition knows. */
interface WholeDocument {
  get(): Promise<SessionState>
}

export type OpenSession = WholeDocument & Session & OperationCalls

const warn = (message: string): void => process.emitWarning(message, WARNING)

/** No name that a program might have beside which this one is bundled. */
const checkpointProgram = (): URL => new URL('./steadfold-worker.js', import.meta.url)

/** Put in by scripts/build.mjs: a hash of what folds. */
declare const STEADFOLD_SHAPE: string | undefined

interface Parts {
  readonly log: Log
  readonly settings?: Partial<Settings>
  /** Folder of the workspace, where there is one. */
  readonly root?: string
  /** The database that keeps the logs, where one does. */
  readonly store?: Store
  readonly isBrief?: boolean
}

export function makeKernel({ log, settings = {}, root, store, isBrief = false }: Parts): Kernel {
  const here = () => store?.place ?? (root === undefined ? '' : placeOf(root))
  const kernel: Kernel = {
    log,
    here,
    host: hostOf(store?.ahead ?? 0, isBrief),
    isBrief,
    // It tells whom the state belongs to; the session module makes that state.
    modules: [ownership(here), ...modules],
    operations,
    places,
    folder: makeEventFolder(modules),
    settings: { ...DEFAULTS, ...settings },
    shape: typeof STEADFOLD_SHAPE === 'string' ? STEADFOLD_SHAPE : 'source',
    isIndex,
    references: async (tree) => (await import('./references.ts')).danglingIn(tree),
    kept: async (tree) => (await import('./references.ts')).keptIn(tree),
    redactor: makeRedactor(settings.redaction ?? DEFAULTS.redaction),
    queryEngine: async () => (await import('./drivers/jsonpath/jsonpath.ts')).queryEngine,
    tokens: async () => (await import('./drivers/tokens/tokens.ts')).tokenCounter,
    ...(root === undefined ? {} : { facts: (session: string) => logFacts(root, session) }),
    ...(store === undefined ? {} : { store, facts: store.facts }),
    checkpoint: (session, where, taken) => checkpoint(kernel, session, where === 'aside' ? root : undefined, taken),
    warn,
  }
  return kernel
}

/** Not `queueMicrotask`: what it does beside that has to be compiled first. */
const soon = (task: () => void): unknown => Promise.resolve().then(task)
const nothing = (): void => undefined

/** Leases of many machines are measured by one clock. */
function hostOf(ahead: number, isBrief: boolean): Kernel['host'] {
  const now = ahead === 0 ? {} : { now: () => host.now() + ahead }
  return { ...host, ...now, ...(isBrief ? { defer: soon, answered: nothing } : {}) }
}

export const filesKernel = (root: string, settings: Partial<Settings> = {}, isBrief = false): Kernel =>
  makeKernel({ log: new FilesLog(root, host.sha256), settings, root, isBrief })

export const memoryKernel = (settings: Partial<Settings> = {}): Kernel =>
  makeKernel({ log: new MemoryLog(host.sha256), settings })

async function checkpoint(kernel: Kernel, session: string, root: string | undefined, taken?: Taken): Promise<number> {
  const program = checkpointProgram()
  try {
    if (root === undefined || !hasProgram(program)) return await makeCheckpoint(kernel, session, taken)
    const made = checkpointAside(kernel, session, { root, program, taken })
    return await (kernel.log.checkpoints?.aside?.(made) ?? made)
  } catch (error) {
    kernel.warn(`session ${session}: no checkpoint: ${asError(error).message}`)
    return 0
  }
}

/** A thread has its own modules: what it hears of a failed sync is told here, and it hears of none that failed here. */
async function checkpointAside(
  kernel: Kernel,
  session: string,
  { root, program, taken }: { readonly root: string; readonly program: URL; readonly taken: Taken | undefined },
): Promise<number> {
  const folder = new Layout(root).session(session)
  const assignment = { root, session, settings: kernel.settings, taken }
  const bytes = await checkpointOnThread(program, assignment, kernel.warn, () => noteFailedSync(folder))
  if (bytes === 0 || !hasFailedSync(() => folder)) return bytes
  // K3: it may hold what was lost, and would then stand ahead of its log.
  await kernel.log.checkpoints?.delete(session)
  return 0
}

export const makeWorkspace = (kernel: Kernel): Workspace<OpenSession> =>
  new Workspace(kernel, (session) => withCalls<WholeDocument & OperationCalls>(session, operations.nouns))

export interface OpenOptions {
  /** Folder that holds, or will hold, `.steadfold/`; or the address of a database: `postgres://…`. */
  readonly dir: string
  /** Make the workspace when it is missing; the default. */
  readonly create?: boolean | undefined
  /** Over those of `.steadfold/config.json`; what is left out, also inside an object, stays as it is there. */
  readonly settings?: SomeSettings | undefined
  /** Whatever would change it is refused, with this as the hint. It is not made. */
  readonly readOnly?: string | undefined
}

/** The settings are looked at for themselves. */
const OPEN: Readonly<Record<keyof OpenOptions, Rule>> = {
  dir: text,
  create: flag,
  settings: { fits: () => true, must: '' },
  readOnly: { fits: text.fits, must: 'must be text: what to do instead of writing' },
}

/** Opens the workspace in `dir`; makes it when missing. */
export const openWorkspace = (options: OpenOptions): Promise<Workspace<OpenSession>> =>
  opened(options, false, telemetry)

/** For a program that ends after one command. */
export const openBriefly = (options: OpenOptions): Promise<Workspace<OpenSession>> => opened(options, true)

/** The same, but where telemetry is wanted it leaves the line to the full program, before anything is done. */
export const openUnobserved = (options: OpenOptions): Promise<Workspace<OpenSession>> =>
  opened(options, true, async ({ settings, log }) => {
    if (!isSpokenOf(settings)) return undefined
    await log.close()
    throw new EngineError('USAGE', 'this program has no telemetry')
  })

async function opened(
  options: OpenOptions,
  isBrief: boolean,
  observe?: typeof telemetry,
): Promise<Workspace<OpenSession>> {
  // Programs without types pass the folder itself.
  const { dir, settings = {}, readOnly } = options ?? {}
  if (typeof dir !== 'string' || dir === '') {
    const given = dir === '' ? 'an empty one' : typeof dir
    throw new EngineError('INPUT_INVALID', `openWorkspace: dir must be a string, not ${given}`, {
      hint: "openWorkspace({ dir: '.' })",
    })
  }
  assertOptions('openWorkspace', options, OPEN)
  const root = path.resolve(isAddress(dir) ? folderFor(dir) : dir, '.steadfold')
  const create = readOnly === undefined && options.create !== false
  openFolder(root, create)
  const own = readSettings(root)
  const over = checkedSettings('openWorkspace', settings, { ...DEFAULTS, ...own })
  const kernel = onlyRead(await kernelAt(root, { ...own, ...over }, { create, isBrief }), readOnly)
  const observer = await observe?.(kernel)
  const workspace = makeWorkspace(observer === undefined ? kernel : { ...kernel, observer })
  roots.set(workspace, root)
  if (readOnly === undefined) await takeInSpool(workspace, root)
  return workspace
}

const onlyRead = (kernel: Kernel, hint: string | undefined): Kernel =>
  hint === undefined ? kernel : { ...kernel, here: undefined, log: readOnlyLog(kernel.log, hint) }

/** In the folder itself, or in the database that its config.json names. */
async function kernelAt(
  root: string,
  { store: url = '', ...settings }: Partial<Settings>,
  { create, isBrief }: { readonly create: boolean; readonly isBrief: boolean },
): Promise<Kernel> {
  if (url === '') return filesKernel(root, settings, isBrief)
  const store = await openStore({ url, create, warn, here: hereIn(root) })
  return makeKernel({ log: store.log, settings: { ...settings, ...within(settings, store) }, store, isBrief })
}

/** What the store cannot do better, or less where that is asked for. */
const within = ({ commitBytes = Infinity }: Partial<Settings>, { settings = {} }: Store): Partial<Settings> =>
  settings.commitBytes === undefined
    ? settings
    : { ...settings, commitBytes: Math.min(commitBytes, settings.commitBytes) }

/** Loaded by those who ask. */
const hereIn = (root: string): Here => ({
  waiting: async () => (await import('./drivers/files/attic.ts')).folderHere(root).waiting(),
  strays: async () => (await import('./drivers/files/attic.ts')).folderHere(root).strays(),
  keep: async (id, file) => (await import('./drivers/files/attic.ts')).folderHere(root).keep(id, file),
})

/** Loads nothing unless the settings or the environment speak of it. */
async function telemetry(kernel: Kernel): Promise<Observer | undefined> {
  return isSpokenOf(kernel.settings) ? (await import('./compose/telemetry.ts')).telemetryOf(kernel) : undefined
}

const isSpokenOf = ({ telemetry: isConfigured }: Settings): boolean =>
  isConfigured || Object.keys(process.env).some((name) => /^(STEADFOLD_OTEL$|OTEL_)/.test(name))

/** `.steadfold` folders of the workspaces that have one. */
const roots = new WeakMap<object, string>()

const openOne: Rule = {
  fits: (value) => value instanceof Workspace,
  must: 'must be an open one',
  kin: 'createSession',
}

/** Throws INPUT_INVALID; `of` names the call. */
export const assertWorkspace = (workspace: unknown, of: string): void =>
  assertFits(workspace, openOne, `${of}: the workspace`, 'await openWorkspace({ dir })')

/** The `.steadfold` folder of the workspace; throws where it has none. */
export function folderOf(workspace: Workspace, of: string): string {
  assertWorkspace(workspace, of)
  const root = roots.get(workspace)
  if (root !== undefined) return root
  throw new EngineError('STORE_UNAVAILABLE', 'commands run only in a workspace that lies in a folder', {
    hint: 'open it with openWorkspace',
  })
}

/** Runs workflows and commands in a workspace that lies in a folder. */
export async function openRunner(workspace: Workspace): Promise<Runner> {
  const root = folderOf(workspace, 'openRunner')
  const dir = projectOf(root)
  const [{ makeRunner }, { ProcessWorkers }, { ProjectFolder }] = await Promise.all([
    import('./runner/run.ts'),
    import('./drivers/process/workers.ts'),
    import('./drivers/project/files.ts'),
  ])
  ProcessWorkers.assertWhole()
  const inFolder = (folder: string) => ({
    dir: folder,
    workers: new ProcessWorkers({ root, cwd: folder, isOneOfMany: workspace.kernel.store !== undefined }),
    files: new ProjectFolder(folder),
  })
  const scale = Number(process.env['STEADFOLD_RETRY_SCALE'] ?? 1)
  return makeRunner({
    workspace,
    ...inFolder(dir),
    at: (folder) => (existsSync(folder) ? inFolder(folder) : undefined),
    readWorkflow: async (file, signal) =>
      (await import('./drivers/project/workflow-file.ts')).readWorkflowFile(file, signal),
    takeIn: () => takeInSpool(workspace, root),
    place: path.dirname(root),
    scale: scale >= 0 ? scale : 1,
  })
}
