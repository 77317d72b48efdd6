import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../compose.ts'
import { placesOf } from './document/view.ts'
import { inTurn } from './in-turn.ts'
import { catalogue } from './operation/catalogue.ts'

let told: string[] = []
beforeEach(() => {
  told = []
})

const slow =
  <T>(name: string, found: T) =>
  async () => {
    told.push(`${name} begins`)
    await setImmediate()
    told.push(`${name} ends`)
    return found
  }
const inOrder = (...names: string[]) => names.flatMap((name) => [`${name} begins`, `${name} ends`])

test('operations are loaded one noun after another, with whatever else waits, also behind one that failed', async () => {
  const { all } = catalogue({ a: slow('a', []), b: slow('b', []) })
  const bad = () => Promise.reject(new Error('gone'))
  const [, failed] = await Promise.allSettled([all(), inTurn(bad), inTurn(slow('c', null))])
  expect(failed).toMatchObject({ reason: { message: 'gone' } })
  expect(told).toEqual(inOrder('a', 'b', 'c'))
})

test('so are the views of a document', async () => {
  const view = (name: string) => ({ derive: () => name })
  const places = placesOf({ one: slow('one', view('one')), two: slow('two', view('two')) })
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), places }).createSession({
    name: 'test',
  })
  expect(await session.get()).toMatchObject({ one: 'one', two: 'two' })
  expect(told).toEqual(inOrder('one', 'two'))
})
