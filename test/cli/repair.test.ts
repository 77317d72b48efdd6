/* Repair as a command mends what verify finds. */
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { filesKernel, makeWorkspace } from '../../src/compose.ts'
import { Batch } from '../../src/kernel/batch.ts'
import { Place } from './binary.ts'

const place = new Place()
afterAll(() => place.remove())

const kernelOf = () => filesKernel(path.join(place.dir, '.steadfold'), { checkpoints: false })

/** A commit whose hash checks, and which no program of this format would write. */
async function poison(id: string): Promise<void> {
  const kernel = kernelOf()
  const { seq, position } = await makeWorkspace(kernel).session(id)
  const [at, actor] = ['2100-01-01T00:00:00.000Z', 'agent:x']
  const batch = new Batch(kernel.host.sha256)
  const head = `{"v":1,"seq":${seq + 1},"at":"${at}","id":"${id}","actor":"${actor}","op":"state.set","cause":null`
  batch.add(
    { seq: seq + 1, at, id, actor, op: 'state.set', cause: null, events: [] },
    `${head},"events":[{"type":"data.set","data":{}}],"prev":"${position.hash}"`,
  )
  await kernel.log.append(id, batch, position, { durability: 'durable' })
  await kernel.log.close()
}

test('what only verify --deep finds is repaired, too', async () => {
  const { session } = place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'bad')
  place.run('state', 'set', 'data.a', '1')
  await poison(session.id)
  const told = place.run('verify', '--deep')
  expect([told.status, told.out]).toEqual([9, expect.stringContaining(`steadfold repair ${session.id}`)])
  expect(place.run('repair', session.id, '--dry-run').out).toContain('would keep 2 commits')
  expect(place.run('repair', session.id).out).toContain('kept 2 commits; the repair is commit 3')
  expect(place.run('verify', '--deep').status).toBe(0)
  expect(place.run('state', 'get', 'data.a').out).toBe('1\n')
})
