/* The server of MCP that the plugin of opencode offers. */
import { existsSync } from 'node:fs'
import * as path from 'node:path'
import { inMain } from '../context/checkout.ts'
import { PROGRAM } from './opencode-teller.ts'

export const SERVER = { type: 'local', command: ['node', PROGRAM, 'mcp'] }

/** Elsewhere a server for it would only fail to start. */
export function hasWorkspace(folder: string): boolean {
  const main = inMain(folder)
  return (process.env['STEADFOLD_DIR'] ?? '') !== '' || isUpward(folder) || (main !== undefined && isUpward(main))
}

function isUpward(folder: string): boolean {
  const above = path.dirname(folder)
  return existsSync(path.join(folder, '.steadfold')) || (above !== folder && isUpward(above))
}
