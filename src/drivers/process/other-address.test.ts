/* Two addresses lead to one database, and each has a folder of its own for the work that is under way. */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { remove } from '../../../test/remove.ts'
import { until } from '../../../test/until.ts'
import { ProcessWorkers } from './workers.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'steadfold-addresses-'))
afterAll(() => remove(cwd))

test('what was begun under another address is told so, and may go on under its own', async () => {
  const under = (address: string) =>
    new ProcessWorkers({ root: path.join(cwd, address, '.steadfold'), cwd, isOneOfMany: true })
  const [one, other] = [under('127.0.0.1'), under('localhost')]
  one.prepare('s', 'a')
  const worker = await one.start({ session: 's', dir: 'a', command: 'sleep 600', env: {} })
  await until(() => existsSync(path.join(cwd, '127.0.0.1/.steadfold/sessions/s/work/a/claim')))
  const attempt = { session: 's', dir: 'a', runner: null }
  expect(await other.find(attempt)).toMatchObject({
    kind: 'gone',
    begun: true,
    reasons: [expect.stringMatching(/^begun under another address of this store, .*localhost/)],
  })
  expect(await one.find(attempt)).toMatchObject({ kind: 'alive' })
  worker.stop('SIGKILL', 'timeout')
  await worker.ended
})
