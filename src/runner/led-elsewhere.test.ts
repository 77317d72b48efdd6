/* Somebody leads the workflow elsewhere, or sets it back, while a run works off a state of it. */
import { expect, test } from 'vitest'
import { effect, held, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()

const definition = {
  name: 'led',
  states: {
    plan: { steps: { plan: { run: effect('plan') } } },
    build: { steps: { build: { run: `${effect('build')}; ${held}true` } }, next: ['done', 'check'] },
    check: { steps: { check: { run: effect('check') } }, next: ['done'] },
    done: {},
  },
}

test.each([
  ['a state on the way to its next one', 'workflow.transition', { to: 'check' }, 'check'],
  ['a state before it', 'session.restore', { to: '4' }, undefined],
])('the run goes on where the workflow stands then: %s', async (_, operation, input, last) => {
  const running = project.run(definition)
  await project.left(2)
  const session = await project.session('led')
  expect(await session.run(operation, input)).toMatchObject({ kind: 'accepted' })
  project.release()
  expect(await running).toMatchObject({ status: 'completed', state: 'done' })
  expect(project.effects()).toEqual(['plan', 'build', ...(last === undefined ? [] : [last])])
})

test('a transition that somebody has begun meanwhile is for a person to finish, and what was done is kept', async () => {
  const running = project.run(definition)
  await project.left(2)
  const session = await project.session('led')
  await session.run('workflow.transition', { to: 'check', begin: true })
  project.release()
  const hint = 'steadfold workflow transition check --resume --session led, or --abandon'
  expect(await running).toMatchObject({ status: 'needs-person', code: 'NEEDS_PERSON', state: 'build', hint })
})

test('a run that waits for that goes on when it is taken back', async () => {
  const running = project.run(definition, { wait: true })
  await project.left(2)
  const session = await project.session('led')
  await session.run('workflow.transition', { to: 'check', begin: true })
  project.release()
  await project.heard('waiting')
  await session.run('workflow.transition', { abandon: true })
  expect(await running).toMatchObject({ status: 'completed', state: 'done' })
  expect(project.effects()).toEqual(['plan', 'build'])
})
