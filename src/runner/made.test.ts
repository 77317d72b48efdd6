import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

test('of a step that is kept, what it made and is there no more is told of, and how it is made again', async () => {
  const make = {
    run: `echo 1 > one.txt; echo 2 > two.txt; echo 3 > '[3].txt'`,
    artifacts: ['one.txt', 'two.txt', '[[]3].txt'],
  }
  const use = { run: 'test -e ok', needs: ['make'] }
  const definition = { name: 'made', states: { only: { steps: { make, use } } } }
  await run(definition)
  await run(definition)
  expect(told('warning')).toEqual([])
  rmSync(project.file('one.txt'))
  project.write('two.txt', 'other')
  project.write('ok', '')
  expect(await run(definition)).toMatchObject({ status: 'completed', steps: { ran: ['use'] } })
  expect(told('warning')).toMatchObject([
    { message: expect.stringContaining('one.txt is gone') },
    { message: expect.stringContaining('two.txt is another by now') },
  ])
  expect(told('warning')).toMatchObject([{ message: expect.stringContaining('env: { AGAIN: 1 }') }, {}])
  const again = { name: 'made', states: { only: { steps: { make: { ...make, env: { AGAIN: 1 } }, use } } } }
  expect(await run(again)).toMatchObject({ status: 'completed', steps: { ran: ['make'], reused: ['use'] } })
})
