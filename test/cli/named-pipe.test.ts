/* Files that are named pipes: somebody may write to them later, or never. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
let pipe: string
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 'main')
  pipe = path.join(place.dir, 'pipe')
  execFileSync('mkfifo', [pipe])
})
afterAll(() => place.remove())

test.each(['run pipe', 'workflow validate pipe', 'state patch --file pipe', 'import pipe'])(
  '%s: Ctrl-C ends it while nobody writes',
  async (line) => {
    const child = place.start(...line.split(' '))
    const gone = once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).finally(() => child.kill('SIGKILL'))
    await delay(1500)
    child.kill('SIGINT')
    expect([
      [null, 'SIGINT'],
      [130, null],
    ]).toContainEqual(await gone)
  },
)

test('what is written later is read to its end', async () => {
  const child = place.start('run', 'pipe', '--json')
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const closed = once(child, 'close')
  const fd = await fs.promises.open(pipe, 'w')
  await fd.write('name: late\nstates:\n  only: { steps: { one: { run: "true" } } }\n')
  await delay(500)
  await fd.write('  done: {}\n')
  await fd.close()
  expect(await closed).toEqual([0, null])
  expect(out).toContain('"late"')
})
