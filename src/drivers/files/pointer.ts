/*
 * A folder of this machine that stands for a workspace elsewhere.
 *
 *   $XDG_STATE_HOME/steadfold/<hash of the address>/.steadfold/config.json   {"store": address}, for its user alone
 */
import * as path from 'node:path'
import { homeIn } from '../../kernel/home.ts'
import type { Host } from '../../kernel/ports.ts'
import { makeFolder, makeFolders, readFile, replaceFile } from './durable.ts'

/** Where they are. */
export function pointers(): string {
  const state = process.env['XDG_STATE_HOME'] ?? ''
  return path.join(path.isAbsolute(state) ? state : path.join(home(), '.local', 'state'), 'steadfold')
}

/** Most commands never ask. */
const home = (): string => homeIn(process.env, () => process.getBuiltinModule('node:os').userInfo().homedir)

/** Made when it is missing. */
export function pointerTo(url: string, sha256: Host['sha256']): string {
  const folder = path.join(pointers(), sha256(url).slice(0, 16))
  const root = path.join(folder, '.steadfold')
  const config = path.join(root, 'config.json')
  if (readFile(config) !== undefined) return folder
  makeFolders(folder)
  makeFolder(root)
  replaceFile(config, `${JSON.stringify({ store: url })}\n`)
  return folder
}
