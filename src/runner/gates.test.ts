/* A gate that the workflow comes to again is a new question, however it came back before it. */
import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run } = project

const plan = { steps: { plan: { run: effect('plan') } } }
const deploying = (what: string) => ({
  name: 'gated',
  states: {
    plan,
    deploy: { approval: true, steps: { deploy: { run: effect(what) } } },
    done: {},
  },
})

test('a gate that was passed is asked anew where the state was set back to before it', async () => {
  const definition = deploying('deploy')
  expect(await run(definition)).toMatchObject({ status: 'needs-person' })
  const session = await project.session('gated')
  await session.run('step.release', { step: 'deploy:approval' }, { actor: 'human:ana' })
  expect(await run(definition)).toMatchObject({ status: 'completed' })
  const [entered] = (await session.query('$.workflow.history[0].seq')) as readonly number[]
  await session.refresh()
  expect(await session.run('session.restore', { to: `${(entered ?? 0) - 1}` })).toMatchObject({ kind: 'accepted' })
  expect(await run(deploying('other'))).toMatchObject({ status: 'needs-person', state: 'deploy' })
  expect(project.effects()).toEqual(['plan', 'deploy'])
})
