/* The server of MCP that the plugin of opencode offers. */
import { nearestWorkspace } from '../context/nearest.ts'
import { program, type Options } from './opencode-teller.ts'

export const serverOf = (node: Options['node']) => ({ type: 'local', command: [...program(node), 'mcp'] })

/** Elsewhere a server for it would only fail to start. */
export function hasWorkspace(folder: string): boolean {
  if ((process.env['STEADFOLD_DIR'] ?? '') !== '') return true
  try {
    return nearestWorkspace(folder) !== undefined
  } catch {
    // It would fail for the same reason.
    return false
  }
}
