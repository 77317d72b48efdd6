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

test.each<unknown>([undefined, '.', {}, { dir: 7 }])('a workspace wants a folder: %j', async (options) => {
  await expect(openWorkspace(options as OpenOptions)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    hint: "openWorkspace({ dir: '.' })",
  })
})

test('settings of a program stand over those of config.json, also inside an object', async () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'config-'))
  try {
    const patterns = [{ id: 'acme', pattern: 'acme_[a-z]{8}' }]
    const own = { maxCommits: 7, redaction: { patterns, names: ['pin'] }, health: { damage: { critical: 3 } } }
    fs.mkdirSync(path.join(dir, '.steadfold'), { mode: 0o700 })
    fs.writeFileSync(path.join(dir, '.steadfold', 'config.json'), JSON.stringify(own))
    // What a program leaves undefined it leaves out.
    const settings = {
      maxCommits: undefined,
      redaction: { names: ['code'], off: undefined },
      health: { disk: { warning: 5 } },
    }
    const workspace = await openWorkspace({ dir, settings })
    const { maxCommits, redaction, health } = workspace.kernel.settings
    await workspace.close()
    expect({ maxCommits, redaction }).toEqual({
      maxCommits: 7,
      redaction: { enabled: true, names: ['code'], patterns, off: [] },
    })
    expect(health).toMatchObject({ disk: { warning: 5, critical: 1e8 }, damage: { warning: 1, critical: 3 } })
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
})
