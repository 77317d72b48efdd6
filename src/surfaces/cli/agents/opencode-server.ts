/* The server of MCP that the plugin of opencode offers. */
import { existsSync } from 'node:fs'
import * as path from 'node:path'
import { PROGRAM } from './opencode-teller.ts'

export const SERVER = { type: 'local', command: ['node', PROGRAM, 'mcp'] }

/** Elsewhere a server for it would only fail to start. */
export function hasWorkspace(folder: string): boolean {
  if ((process.env['STEADFOLD_DIR'] ?? '') !== '' || existsSync(path.join(folder, '.steadfold'))) return true
  const above = path.dirname(folder)
  return above !== folder && hasWorkspace(above)
}
