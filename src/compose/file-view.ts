/*
 * A session that lies in a file, as a workspace that is only read: a bundle, the folder of a session, a folder with
 * sessions, or a log.
 *
 *   FILE ──verified, copied──► a private folder for as long as it is looked at ──► read
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { openWorkspace, type OpenSession } from '../compose.ts'
import { readRedo, redoFiles } from '../drivers/files/redo-file.ts'
import { temporaryFolder } from '../drivers/vault/failure.ts'
import type { OpenWishes } from '../drivers/vault/vault.ts'
import { EngineError } from '../kernel/error.ts'
import type { Workspace } from '../kernel/workspace.ts'

const FOLDER = '.steadfold'
const FIRST = '00000000000000000001.jsonl'

export interface FileView {
  readonly workspace: Workspace<OpenSession>
  close(): Promise<void>
}

/** Throws FILE_NOT_FOUND, BUNDLE_INVALID and what else stands against a bundle, or LOG_CORRUPT. */
export async function openFileView(file: string, wishes: OpenWishes): Promise<FileView> {
  const dir = temporaryFolder('steadfold-view-')
  const remove = removing(dir)
  try {
    await bring(file, dir, wishes)
    const workspace = await openWorkspace({ dir, create: false, readOnly: `it lies in ${file}` })
    const close = () => workspace.close().finally(remove)
    return { workspace, close }
  } catch (error) {
    remove()
    throw error
  }
}

/** What is in there was sealed: it goes also when the terminal is hung up, or the process ends of itself. */
function removing(dir: string): () => void {
  const remove = () => {
    process.off('exit', remove)
    process.off('SIGHUP', hangUp)
    fs.rmSync(dir, { recursive: true, force: true })
  }
  const hangUp = () => {
    remove()
    process.kill(process.pid, 'SIGHUP')
  }
  process.on('exit', remove)
  process.on('SIGHUP', hangUp)
  return remove
}

async function bring(file: string, dir: string, wishes: OpenWishes): Promise<void> {
  if (!fs.existsSync(file))
    throw new EngineError('FILE_NOT_FOUND', `there is no ${file}`, { hint: 'steadfold bundle pack makes a bundle' })
  const workspace = await openWorkspace({ dir })
  try {
    if (fs.statSync(file).isDirectory()) copySessions(file, dir)
    else if (file.endsWith('.jsonl')) copyLog(file, dir)
    else await (await import('./vault.ts')).openVault(dir).unpack(workspace, file, wishes)
  } finally {
    await workspace.close()
  }
}

const placeOf = (dir: string, id: string): string => path.join(dir, FOLDER, 'sessions', path.basename(id))

/** They come and go while somebody writes. */
function copyRedo(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true })
  for (const file of redoFiles(from)) fs.writeFileSync(path.join(to, path.basename(file)), readRedo(file))
}

/** The folder of a session, or one that holds such folders. A checkpoint stays behind: the whole log is checked. */
function copySessions(folder: string, dir: string): void {
  const within = [path.join(folder, FOLDER, 'sessions'), path.join(folder, 'sessions')].find((each) =>
    fs.existsSync(each),
  )
  const found =
    within === undefined ? [path.resolve(folder)] : fs.readdirSync(within).map((name) => path.join(within, name))
  const sessions = found.filter((each) => fs.existsSync(path.join(each, 'log')))
  if (sessions.length === 0)
    throw new EngineError('FILE_NOT_FOUND', `there is no session in ${folder}`, {
      hint: 'name the folder that holds log/',
    })
  for (const each of sessions) {
    for (const part of ['log', 'blobs'])
      if (fs.existsSync(path.join(each, part)))
        fs.cpSync(path.join(each, part), path.join(placeOf(dir, each), part), { recursive: true })
    copyRedo(path.join(each, 'redo'), path.join(placeOf(dir, each), 'redo'))
  }
}

/** One segment of a log that begins with its first commit, which names the session. */
function copyLog(file: string, dir: string): void {
  const id = idIn(fs.readFileSync(file, 'utf8'))
  if (id === undefined)
    throw new EngineError('LOG_CORRUPT', `${file} does not begin with the first commit of a session`, {
      hint: 'take the whole folder of the session',
    })
  fs.mkdirSync(path.join(placeOf(dir, id), 'log'), { recursive: true })
  fs.copyFileSync(file, path.join(placeOf(dir, id), 'log', FIRST))
}

function idIn(text: string): string | undefined {
  try {
    const first: unknown = JSON.parse(text.slice(0, text.indexOf('\n')))
    const { events } = first as { readonly events: readonly { readonly data: { readonly id?: unknown } }[] }
    const id = events[0]?.data.id
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}
