/* U2 where it costs money: a workflow is run again, and the session that has its results cannot be read. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  place.file(
    'two.workflow.yaml',
    'name: two\nstates: { work: { steps: { one: { run: echo one >> paid } } }, complete: {} }\n',
  )
})
afterEach(() => place.remove())

const spoiled: Readonly<Record<string, (folder: string) => void>> = {
  'first commit is altered': (folder) => {
    const file = path.join(folder, 'log', '00000000000000000001.jsonl')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"two"', '"twa"'))
    fs.rmSync(path.join(folder, 'checkpoint.json'), { force: true })
  },
  'log is gone': (folder) => fs.rmSync(path.join(folder, 'log'), { recursive: true }),
  'log is emptied, and its checkpoint left': (folder) => {
    expect(fs.readdirSync(folder)).toContain('checkpoint.json')
    for (const name of fs.readdirSync(path.join(folder, 'log'))) fs.rmSync(path.join(folder, 'log', name))
  },
}

test.each(Object.keys(spoiled))('work is not paid again beside a session whose %s', (what) => {
  expect(place.run('run', 'two.workflow.yaml').status).toBe(0)
  const [id = ''] = fs.readdirSync(path.join(place.dir, '.steadfold/sessions'))
  spoiled[what]?.(path.join(place.dir, '.steadfold/sessions', id))
  const again = place.run('run', 'two.workflow.yaml')
  expect(again.status, again.out).toBe(9)
  expect(again.err).toContain(`session ${id} is damaged`)
  expect(fs.readFileSync(path.join(place.dir, 'paid'), 'utf8')).toBe('one\n')
  const made = place.run('session', 'create', 'two')
  expect([made.status, made.err]).toEqual([4, expect.stringContaining(`a session "two" exists: ${id}`)])
  expect(place.run('state', 'get', 'data', '--session', 'two').status).toBe(9)
  const told = place.run('status').out
  expect(told.match(/DAMAGED/g), told).toHaveLength(1)
})

test('W2 what removes takes its name, and no beginning of its id', () => {
  expect(place.run('run', 'two.workflow.yaml').status).toBe(0)
  const [id = ''] = fs.readdirSync(path.join(place.dir, '.steadfold/sessions'))
  spoiled['first commit is altered']?.(path.join(place.dir, '.steadfold/sessions', id))
  const begun = place.run('repair', id.slice(0, 13))
  expect([begun.status, begun.err]).toEqual([3, expect.stringContaining('is the beginning of an id')])
  expect(place.run('repair', 'two').out).toContain('kept 0 commits')
})
