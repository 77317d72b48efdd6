import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const states = { one: { steps: { a: { run: `${effect('a')}; test -e ok` } } }, two: {} }

test('a session alone goes on with the workflow that it has, by its name or open', async () => {
  expect(await project.run({ name: 'own', states })).toMatchObject({ status: 'failed' })
  expect(await project.runner.runWorkflow({ session: 'own' })).toMatchObject({ status: 'failed', workflow: 'own' })
  project.write('ok', '')
  const session = await project.session('own')
  expect(await project.runner.runWorkflow({ session })).toMatchObject({ status: 'completed', session: { name: 'own' } })
  expect(project.effects()).toEqual(['a', 'a', 'a'])
})

test('a session without a workflow, or with one that has no steps, has nothing to run', async () => {
  const session = await project.workspace.createSession({ name: 'empty' })
  await expect(project.runner.runWorkflow({ session })).rejects.toMatchObject({ code: 'WORKFLOW_MISSING' })
  await session.workflow.define()
  const { seq } = session
  await expect(project.runner.runWorkflow({ session: 'empty' })).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
  await session.refresh()
  expect(session.seq).toBe(seq)
})
