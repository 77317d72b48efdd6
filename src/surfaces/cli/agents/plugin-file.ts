/*
 * The plugin of an agent CLI: a file of our own among those of others, which loads the program from where it is installed.
 *
 * Q1. It does nothing where the program is gone.
 * Q2. It is known again by its first line; a file of that name without it belongs to somebody else, and stays.
 */
import { pathToFileURL } from 'node:url'
import { unusable } from './settings.ts'

const MARK = '// Tells steadfold what opencode does.'

/** Q1: version 1 of opencode calls `server`, version 2 `setup`. */
export const pluginText = (
  program: string,
  options: { readonly gate: boolean; readonly node: string },
): string => `${MARK} \`steadfold uninstall opencode\` removes it.
const load = () => import(${JSON.stringify(pathToFileURL(program).href)})
export default {
  id: 'steadfold',
  server: async ({ directory }) => {
    try {
      return (await load()).opencodeHooks(directory, ${JSON.stringify(options)})
    } catch {
      return {}
    }
  },
  setup: async (host) => {
    try {
      return await (await load()).opencodeSetup(host, ${JSON.stringify(options)})
    } catch {}
  },
}
`

/** Q2 */
export function withPlugin(
  before: string,
  { file, plugin = '' }: { readonly file: string; readonly plugin?: string },
): string {
  if (before.trim() !== '' && !isPlugin(before)) throw unusable(file, 'it is not what an earlier install put there')
  return plugin
}

export const isPlugin = (text: string): boolean => text.startsWith(MARK)
