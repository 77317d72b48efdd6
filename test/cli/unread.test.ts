/* A run whose answers nobody reads for a while. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { stepRows } from '../../src/domain/steps/views.ts'
import { until } from '../until.ts'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const WORKFLOW = `name: talk
states:
  say:
    steps:
      much: { run: "seq 1 2000000" }
      next: { run: "true", needs: [much] }
`

test('what nobody reads holds up no step, and is said in order when somebody does', async () => {
  const place = new Place()
  fs.writeFileSync(path.join(place.dir, 'talk.workflow.yaml'), WORKFLOW)
  place.run('init')
  const run = spawn(process.execPath, [PROGRAM, 'run', 'talk.workflow.yaml', '--follow'], {
    cwd: place.dir,
    env: plainEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => run.once('exit', resolve))
  const workspace = await openWorkspace({ dir: place.dir })
  const finished = async (): Promise<readonly string[]> => {
    for await (const session of workspace.sessions()) {
      const rows = stepRows(session.stored)
      await session.close()
      return rows.filter(({ status }) => status === 'finished').map(({ name }) => name)
    }
    return []
  }
  await until(async () => (await finished()).length === 2)
  let said = ''
  run.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  run.stdout.resume()
  expect(await ended).toBe(0)
  expect(said).toMatch(
    /started {2}much[^]*\n1\n2\n3\n[^]* bytes that steps wrote are not shown: nobody read\n[^]*ok +next/,
  )
  await workspace.close()
  place.remove()
})
