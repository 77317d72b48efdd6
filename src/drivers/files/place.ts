import * as fs from 'node:fs'
import * as path from 'node:path'
import { errnoOf } from '../../kernel/system-error.ts'
import { PRIVATE_FILE, readFile, syncFolder, temporaryName } from './durable.ts'
import { asFailure } from './failure.ts'

const ID = /^[\w-]{8,64}$/

const fileOf = (root: string): string => path.join(root, 'place')

/** What tells this workspace from its copies elsewhere; empty while nothing was ever moved from or to it. */
export function placeOf(root: string): string {
  const id = readFile(fileOf(root))?.toString('utf8').trim() ?? ''
  return ID.test(id) ? id : ''
}

/** Made once, whole before it has its name. */
export function makePlace(root: string, newId: () => string): string {
  const known = placeOf(root)
  if (known !== '') return known
  const temporary = temporaryName(fileOf(root))
  try {
    fs.writeFileSync(temporary, `${newId()}\n`, { mode: PRIVATE_FILE, flag: 'wx', flush: true })
    fs.linkSync(temporary, fileOf(root))
    syncFolder(root)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw asFailure(error, `cannot make ${fileOf(root)}`)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  return placeOf(root)
}
