/*
 * Whatever tests make lies in one folder, which goes with them: a file system that a test mounted there first.
 * Its name is short, because a socket of PostgreSQL inside may have a path of 107 bytes at most.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { remove } from './remove.ts'

let made: string | undefined

/** Each project sets up; the first makes the folder for all. */
export function setup(): void {
  if (process.env['TEST_SCRATCH'] !== undefined) return
  made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sf-')))
  // PostgreSQL, which refuses to be root, is its own user, and must pass.
  fs.chmodSync(made, 0o711)
  process.env['TEST_SCRATCH'] = process.env['TMPDIR'] = made
}

export function teardown(): void {
  if (made === undefined) return
  for (const place of mountedIn(made)) spawnSync('umount', ['-l', place])
  remove(made)
}

function mountedIn(folder: string): readonly string[] {
  if (process.platform !== 'linux') return []
  const places = fs.readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return places.flatMap((line) => line.split(' ')[1] ?? []).filter((place) => place.startsWith(`${folder}/`))
}
