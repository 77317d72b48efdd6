/* A step that runs work of its own. */
import { readFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place, PROGRAM } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
})
afterAll(() => place.remove())

const steadfold = `${process.execPath} ${PROGRAM}`

test('run in a step runs in a session of its own: that of the step is held by who waits for it', () => {
  place.file(
    'inner.yaml',
    `name: inner\nstates: { only: { steps: { in: { run: 'echo in >> effects' } } }, done: {} }\n`,
  )
  const steps = JSON.stringify({
    file: { run: `${steadfold} run inner.yaml` },
    command: { run: `${steadfold} run -- sh -c 'echo command >> effects'` },
    once: { run: `${steadfold} once key -- sh -c 'echo once >> effects'` },
  })
  place.file('outer.yaml', `name: outer\nstates: { only: { mode: waves, steps: ${steps} }, done: {} }\n`)
  expect(place.run('run', 'outer.yaml')).toMatchObject({ status: 0 })
  expect(readFileSync(path.join(place.dir, 'effects'), 'utf8').trim().split('\n').toSorted()).toEqual([
    'command',
    'in',
    'once',
  ])
  expect(place.run('step', 'list', '--session', 'outer', '--json').out).toContain('"name":"key"')
  expect(place.run('step', 'list', '--session', 'inner', '--json').out).toContain('"name":"in"')
})
