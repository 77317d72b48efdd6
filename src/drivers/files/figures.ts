/** What the folder of a workspace tells of how well it is. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Figure } from '../../kernel/health.ts'
import { Spool } from './intake.ts'

export const folderFigures = (folder: string): readonly Figure[] => [spoolFigure(folder), diskFigure(folder)]

function spoolFigure(folder: string): Figure {
  const spool = new Spool({ root: folder, now: Date.now })
  const next = 'steadfold doctor says whose they are; facts without a session wait for STEADFOLD_SESSION'
  const value = spool.list().length + spool.unfinished().length
  return { name: 'spool_backlog', value, of: path.join(folder, 'spool'), next }
}

function diskFigure(folder: string): Figure {
  const { bavail, bsize } = fs.statfsSync(folder)
  const next = 'free some space: writes fail when the disk is full, reads go on'
  return { name: 'disk', value: bavail * bsize, of: folder, next }
}
