/* A single command in the session of a workflow. */
import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()

test('a command that is called as a step of the workflow leaves that step what it is, and is kept itself', async () => {
  const steps = { make: { run: 'echo v=1 >> "$STEADFOLD_OUTPUT"' } }
  const use = { run: effect('used$V'), reads: { V: 'make.v' }, needs: ['make'] }
  const definition = { name: 'beside', states: { a: { steps }, b: { approval: true, steps: { use } } } }
  expect(await project.run(definition)).toMatchObject({ status: 'needs-person' })
  const session = await project.session('beside')
  const command = { argv: ['sh', '-c', effect('made')], name: 'make', session }
  const ran = async () => (await project.runner.runCommand(command)).steps.ran
  expect([await ran(), await ran()]).toEqual([['run-make'], []])
  await session.run('step.release', { step: 'b:approval' }, { actor: 'human:ana' })
  expect(await project.run(definition)).toMatchObject({ status: 'completed', resumed: { kept: ['make'] } })
  expect(project.effects()).toEqual(['made', 'used1'])
})
