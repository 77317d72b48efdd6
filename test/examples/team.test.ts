import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { plainEnv, PROGRAM } from '../cli/binary.ts'
import { remove } from '../remove.ts'

const TEAM = path.join(import.meta.dirname, '../../examples/team/team.mjs')

test('a team of six loses two, and every task is done exactly once', { timeout: 150_000 }, () => {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'team-'))
  const env = { ...plainEnv(), STEADFOLD_LIBRARY: path.join(path.dirname(PROGRAM), 'index.js') }
  const { status, stdout, stderr } = spawnSync(process.execPath, [TEAM, '12'], { cwd, env, encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  expect(stdout.match(/^killed \w+ with SIGKILL$/gm)).toHaveLength(2)
  expect(stdout).toMatch(/^12 of 12 tasks done; /m)
  expect(stdout).toMatch(/^every task was done exactly once$/m)
  remove(cwd)
})
