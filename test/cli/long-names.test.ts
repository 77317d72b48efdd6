/* Beside a name that fills the line, what the list is read for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

const LONG = 'check-every-page-of-the-documentation-against-what-the-commands-of-it-really-say-now'

let place: Place

beforeAll(() => {
  place = new Place()
  const steps = `a: { steps: { ${LONG}: { run: 'true' }, short: { run: 'exit 3' } } }`
  place.file('long.workflow.yaml', `name: long\nstates: { ${steps} }\n`)
  place.run('run', 'long.workflow.yaml')
  place.run('output', 'set', `${LONG}.found`, 'what it found there', '--session', 'long')
  place.run('output', 'set', 'short', 'nothing', '--session', 'long')
})
afterAll(() => place.remove())

test('F1 a step list says how each step stands', () => {
  const text = place.run('step', 'list', '--session', 'long').out
  expect(text).toMatch(new RegExp(`^${LONG}  finished`, 'm'))
  expect(text).toMatch(/^short +failed/m)
})

test('F1 a list of outputs shows what each holds', () => {
  const text = place.run('output', 'list', '--session', 'long').out
  expect(text).toMatch(new RegExp(`^${LONG}.found  what it fou…$`, 'm'))
  expect(text).toMatch(/^short +nothing$/m)
})
