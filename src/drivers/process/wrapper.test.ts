import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Job } from '../../kernel/worker.ts'
import { ProcessWorkers } from './workers.ts'

const cwd = mkdtempSync(path.join(tmpdir(), 'steadfold-wrapper-'))
const root = path.join(cwd, '.steadfold')
mkdirSync(path.join(root, 'sessions', 's'), { recursive: true })
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const workers = new ProcessWorkers({ root, cwd })
let attempts = 0
async function ended(command: Job['command'], env: Job['env'] = {}) {
  const worker = await workers.start({ session: 's', dir: `attempt-${++attempts}`, command, env })
  const result = await worker.ended
  if (result.kind !== 'ended') throw new Error(result.reasons.join())
  const [out, err] = [result.stdout, result.stderr].map(({ bytes }) => Buffer.from(bytes).toString())
  return { exit: result.exit, out: out ?? '', err }
}

test('the environment comes to the command as it was given, whatever it is called', async () => {
  const names = 'work stat rest i started field tools until status file line word more name n'.split(' ')
  const env = Object.fromEntries(names.map((name) => [name, `mine: ${name}`]))
  const { out } = await ended(['env', '-0'], env)
  const found = Object.fromEntries(out.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)))
  expect(found).toMatchObject(env)
})
