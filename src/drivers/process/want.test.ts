/* P2: a process that has no descriptor left, and looks at what another one does. */
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { remove } from '../../../test/remove.ts'
import { until } from '../../../test/until.ts'
import { evidence } from './evidence.ts'
import { self } from './identity.ts'
import { ProcessWorkers } from './workers.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'steadfold-want-'))
const workers = new ProcessWorkers({ root: path.join(cwd, '.steadfold'), cwd })
mkdirSync(path.join(cwd, '.steadfold/sessions/s'), { recursive: true })

const { openSync, readFileSync: read } = fs
const full = (): never => {
  throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
}

/** While `look` runs, no file can be opened. */
async function inWant<Value>(look: () => Value | Promise<Value>): Promise<Value> {
  Object.assign(fs, { openSync: full, readFileSync: full })
  syncBuiltinESMExports()
  try {
    return await look()
  } finally {
    Object.assign(fs, { openSync, readFileSync: read })
    syncBuiltinESMExports()
  }
}

afterAll(() => remove(cwd))

test('P2 a worker that cannot be looked at is not taken for one that never began, nor for dead, and has its claim afterwards', async () => {
  const claim = path.join(cwd, '.steadfold/sessions/s/work/one/claim')
  const command = 'until [ -e go ]; do sleep 0.02; done; echo ran >> effect'
  const { detach } = await workers.start({ session: 's', dir: 'one', command, env: {} })
  await until(() => existsSync(claim))
  detach()
  const attempt = { session: 's', dir: 'one', runner: self() }
  await expect(inWant(() => workers.find(attempt))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(existsSync(claim)).toBe(true)
  const found = await workers.find(attempt)
  writeFileSync(path.join(cwd, 'go'), '')
  if (found.kind === 'alive') await found.worker.ended
  expect([found.kind, readFileSync(path.join(cwd, 'effect'), 'utf8')]).toEqual(['alive', 'ran\n'])
})

test('P2 nobody is dead because there is no descriptor to look with', async () => {
  const living = self()
  await expect(inWant(() => evidence(living))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(evidence(living)).toMatchObject({ kind: 'alive' })
})
