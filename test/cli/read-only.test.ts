/* A file system that is mounted read-only, in mounts of its own. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const APART = [...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--mount', 'sh', '-ec']
const SHUT = 'mount --bind "$SHUT" "$SHUT"; mount -o remount,bind,ro "$SHUT"; cd "$SHUT"; exec "$@"'

/** What a command says there. */
function within(shut: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stderr } = spawnSync('unshare', [...APART, SHUT, 'sh', process.execPath, PROGRAM, ...args], {
    env: plainEnv({ SHUT: shut, ...env }),
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, err: stderr }
}

const isThere = spawnSync('unshare', [...APART, 'mount --bind /tmp /tmp']).status === 0

const READ_ONLY = / EROFS\nnext: the file system is mounted read-only\n$/

test.runIf(isThere)('once says of a workspace that is read-only what it is, as all that writes does', () => {
  const place = new Place()
  place.run('session', 'create', 'main')
  for (const line of ['once k -- true', 'run -- true', 'task add x', 'lock with db -- true'])
    expect([line, within(place.dir, line.split(' '))]).toEqual([
      line,
      { status: 8, err: expect.stringMatching(READ_ONLY) as unknown },
    ])
  place.remove()
})

test.runIf(isThere)('where nothing can be kept at home, what would be is refused and named', () => {
  const place = new Place()
  const home = path.join(place.dir, 'home')
  fs.mkdirSync(home)
  for (const line of ['status --seen', 'install claude'])
    expect([line, within(home, line.split(' '), { HOME: home, XDG_STATE_HOME: '' })]).toEqual([
      line,
      { status: 8, err: expect.stringMatching(READ_ONLY) as unknown },
    ])
  place.remove()
})
