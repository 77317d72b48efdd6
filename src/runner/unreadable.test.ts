import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

/** One step that ends as given, and one beside it. */
const beside = (command: string, more: object = {}) => ({
  name: 'odd',
  states: { only: { min_success: 0, steps: { odd: { run: command, ...more }, good: { run: effect('good') } } } },
})

test('F1 a reason that is too long is cut between characters', async () => {
  const command = `echo "STEADFOLD_FAILURE=terminal:${'q'.repeat(499)}🚀" >> "$STEADFOLD_OUTPUT"; exit 1`
  expect(await run(beside(command))).toMatchObject({ steps: { ran: ['good'], parked: ['odd'] } })
  expect(told('step-parked')).toMatchObject([{ reason: 'q'.repeat(499) }])
})

test('a command is told from others by its beginning, cut between characters', async () => {
  expect(await run(beside(`echo ${'x'.repeat(94)}🚀`))).toMatchObject({ status: 'completed' })
})
