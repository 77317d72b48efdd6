/* Where a person keeps what belongs to no workspace. */
import * as os from 'node:os'
import * as path from 'node:path'
import { homeIn } from '../../../kernel/home.ts'
import type { Context } from './context.ts'

export const homeFolder = (env: Context['env']): string => homeIn(env, () => os.userInfo().homedir)

export function configFolder(env: Context['env']): string {
  const named = env['XDG_CONFIG_HOME'] ?? ''
  return named === '' ? path.join(homeFolder(env), '.config') : named
}

/** What is kept for a person, in no workspace. */
export function stateFolder(env: Context['env']): string {
  const named = env['XDG_STATE_HOME'] ?? ''
  return path.join(path.isAbsolute(named) ? named : path.join(homeFolder(env), '.local/state'), 'steadfold')
}
