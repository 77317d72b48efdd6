import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run } = project

test('a run that waits at a gate goes on where somebody leads the workflow elsewhere', async () => {
  const states = {
    plan: { approval: true, steps: { plan: { run: effect('plan') } } },
    ship: { steps: { ship: { run: effect('ship') } } },
  }
  const waiting = run({ name: 'led', states }, { wait: true })
  await project.heard('waiting')
  await (await project.session('led')).run('workflow.transition', { to: 'ship' })
  expect(await waiting).toMatchObject({ state: 'ship', steps: { ran: ['ship'] } })
})
