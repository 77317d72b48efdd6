import * as fs from 'node:fs'
import * as path from 'node:path'
import { isRealFolder } from './durable.ts'

const FACT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,240}\.fact$/

/** Whether facts may wait to be taken; asked by every command, so it is cheap. */
export const spoolWaits = (root: string): boolean => factNames(path.join(root, 'spool')).length > 0

export const factNames = (folder: string): readonly string[] =>
  isRealFolder(folder) ? fs.readdirSync(folder).filter((name) => FACT_NAME.test(name)) : []
