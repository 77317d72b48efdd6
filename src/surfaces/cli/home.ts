import type { Context } from './context.ts'
import { homeIn } from '../../kernel/text/home.ts'
import * as os from 'node:os'

export const homeFolder = (env: Context['env']): string => homeIn(env, () => os.userInfo().homedir)
