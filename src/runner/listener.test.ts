import { expect, test } from 'vitest'
import { projectForEachTest } from '../../test/runner/project.ts'
import type { RunEvent } from '../kernel/work/runner.ts'
import { listening } from './listener.ts'

const project = projectForEachTest()
const no = new Error('no room')
const EVENT: RunEvent = { type: 'waiting', reason: '', until: 0, next: null }

test.each([
  ['throws', () => thrown()],
  ['is rejected', () => Promise.reject(no)],
])('who listens and %s hears no more, and that is said once', async (_, fail) => {
  const warned: string[] = []
  let heard = 0
  const tell = listening(
    () => {
      heard++
      return fail()
    },
    (message) => warned.push(message),
  )
  for (let i = 0; i < 3; i++) {
    tell(EVENT)
    await Promise.resolve()
  }
  expect([heard, warned]).toEqual([1, ['onEvent failed, and hears no more of this run: no room']])
})

test('a run goes on when who listens to it throws', async () => {
  const definition = { name: 'w', states: { only: { steps: { a: { run: 'true' } } } } }
  expect(await project.run(definition, { onEvent: thrown })).toMatchObject({ status: 'completed' })
})

function thrown(): never {
  throw no
}
