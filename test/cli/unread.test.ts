/* Work whose answers nobody reads for a while. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

let place: Place
let workspace: Awaited<ReturnType<typeof openWorkspace>>

beforeEach(async () => {
  place = new Place()
  place.run('init')
  workspace = await openWorkspace({ dir: place.dir })
})
afterEach(async () => {
  await workspace.close()
  place.remove()
})

/** The program at work, its answers unread, and its exit status. */
function begin(...words: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: place.dir,
    env: plainEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, ended: new Promise((resolve) => child.once('close', resolve)) }
}

async function finished(): Promise<readonly string[]> {
  for await (const session of workspace.sessions()) {
    const rows = stepRows(session.stored)
    await session.close()
    return rows.filter(({ status }) => status === 'finished').map(({ name }) => name)
  }
  return []
}

test('what nobody reads holds up no step, and is said in order when somebody does', async () => {
  fs.writeFileSync(path.join(place.dir, 'talk.workflow.yaml'), WORKFLOW)
  const { child, ended } = begin('run', 'talk.workflow.yaml', '--follow')
  await until(async () => (await finished()).length === 2)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdout.resume()
  expect(await ended).toBe(0)
  expect(said).toMatch(
    /started {2}much[^]*\n1\n2\n3\n[^]* bytes that steps wrote are not shown: nobody read\n[^]*ok +next/,
  )
})

test('what nobody reads holds up no once, and all of it is there when somebody does', async () => {
  place.run('session', 'create', 'main')
  const { child, ended } = begin('once', 'much', '--', 'seq', '1', '2000000')
  await until(async () => (await finished()).length === 1)
  const heard = createHash('sha256')
  child.stdout.on('data', (chunk: Buffer) => heard.update(chunk))
  child.stderr.resume()
  expect(await ended).toBe(0)
  const whole = createHash('sha256')
  for (let n = 1; n <= 2_000_000; n++) whole.update(`${n}\n`)
  expect(heard.digest('hex')).toBe(whole.digest('hex'))
})

test('a full disk behind once is told when its work is over', () => {
  place.run('session', 'create', 'main')
  const words = [process.execPath, PROGRAM, 'once', 'full', '--', 'echo', 'one']
  const { status, stderr } = spawnSync('sh', ['-c', '"$@" >/dev/full', 'sh', ...words], {
    cwd: place.dir,
    env: plainEnv(),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([8, expect.stringMatching(/^error: there is no space for the output\nnext: /)])
  expect(place.run('once', 'full', '--', 'echo', 'one').out).toBe('one\n')
})
