import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { openWorkspace, type OpenOptions } from '../../compose.ts'

test.each<unknown>([
  { commitBytes: -1 },
  { commitBytes: 'x' },
  { segmentBytes: 0 },
  { maxCommits: Number.NaN },
  { redaction: 'no' },
  { nope: 1 },
  7,
])('settings of a program are checked like those of config.json: %j', async (settings) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'config-'))
  try {
    const given = { dir, settings } as OpenOptions
    await expect(openWorkspace(given)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
})
