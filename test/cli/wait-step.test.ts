/* What `wait --step` takes for the step: what its name stands for now. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
})
afterEach(() => place.remove())

function ran(command: string): number | null {
  const steps = { lint: { run: command } }
  const file = place.file(
    'edited.workflow.json',
    JSON.stringify({ name: 'edited', states: { s: { steps }, done: {} } }),
  )
  return place.run('run', file).status
}

test('a step that was edited has not finished because it had before', () => {
  const wait = () => place.run('wait', '--step', 'lint', '--timeout', '50ms').status
  expect([ran('true'), wait(), ran('exit 77'), wait()]).toEqual([0, 0, 11, 7])
})
