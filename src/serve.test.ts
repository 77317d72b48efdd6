import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkspace } from './compose.ts'
import { serve, type ServeOptions } from './serve.ts'

test.each([null, { port: -1 }, { port: 65_536 }, { port: '80' }, { actor: 'bob' }, { host: '0.0.0.0' }])(
  'nothing is served with a wish that would be passed over: %j',
  async (options) => {
    const dir = mkdtempSync(join(tmpdir(), 'steadfold-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    await using workspace = await openWorkspace({ dir })
    const served = serve(workspace, options as unknown as ServeOptions)
    await expect(served).rejects.toMatchObject({ code: 'INPUT_INVALID', hint: expect.any(String) })
  },
)
