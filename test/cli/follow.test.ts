/* What steps write while they run, beside each other. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  // Each waits for the other to have been read in the middle of its line.
  const half = 'printf "h\\303"; touch half; until [ -e mine ]; do sleep 0.1; done; sleep 0.3; printf "\\244lf\\nlast"'
  const other = 'until [ -e half ]; do sleep 0.1; done; sleep 0.3; echo other; touch mine'
  const steps = JSON.stringify({ half: { run: half }, other: { run: other } })
  for (const name of ['text', 'json'])
    place.file(`${name}.yaml`, `name: ${name}\nstates: { only: { steps: ${steps} }, done: {} }\n`)
})
afterAll(() => place.remove())

test('run --follow shows whole lines: none stands inside a line, or a character, of another step', () => {
  place.shell('rm -f half mine')
  const { err } = place.run('run', 'text.yaml', '--follow')
  expect(err.split('\n')).toEqual(expect.arrayContaining(['other', 'hälf', 'last']))
})

test('run --follow --json tells the same', () => {
  place.shell('rm -f half mine')
  const { out } = place.run('run', 'json.yaml', '--follow', '--json')
  const written = out.split('\n').flatMap((line) => {
    const { type, step, text } = JSON.parse(line === '' ? '{}' : line) as Record<string, string>
    return type === 'step-output' ? [`${step}: ${text}`] : []
  })
  expect(written.toSorted()).toEqual(['half: hälf\n', 'half: last', 'other: other\n'])
})
