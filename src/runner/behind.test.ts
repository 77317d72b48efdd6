import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()
const { run, told } = project

/** `build` may be left without `lib`, which a later state needs. */
const definition = (end = 'exit 1') => ({
  name: 'left',
  states: {
    build: {
      min_success: 0.3,
      steps: {
        lib: { run: `test -e ok || ${end}` },
        docs: { run: effect('docs') },
        bundle: { run: effect('bundle'), needs: ['lib'] },
      },
    },
    test: { steps: { unit: { run: effect('unit'), needs: ['bundle'] } } },
  },
})

test('K2 a step that a state was left without is named, with what to do', async () => {
  const first = await run(definition())
  expect(first).toMatchObject({ status: 'failed', state: 'test', hint: expect.stringContaining('step retry lib') })
  expect(first.message).toBe(
    '"test": 0 of 1 steps succeeded; not run: unit (needs bundle, which is not finished); bundle of "build" never began; lib of "build" is failed',
  )
  expect(await run(definition())).toMatchObject({ status: 'failed', message: first.message })
})

test('K1 a step that a state was left without runs once it is retried, and what waited for it', async () => {
  await run(definition())
  project.write('ok', '')
  await (await project.session('left')).run('step.retry', { step: 'lib' })
  expect(await run(definition())).toMatchObject({
    status: 'completed',
    state: 'test',
    steps: { ran: ['lib', 'bundle', 'unit'] },
  })
  expect(project.effects()).toEqual(['docs', 'bundle', 'unit'])
})

test('K1 one that was parked is waited for, and runs when it is released', async () => {
  const parking = definition('exit 77')
  expect(await run(parking)).toMatchObject({
    status: 'needs-person',
    hint: expect.stringContaining('step release lib'),
  })
  project.write('ok', '')
  project.events = []
  const waiting = run(parking, { wait: true })
  await project.heard('waiting')
  await (await project.session('left')).run('step.release', { step: 'lib' })
  expect(await waiting).toMatchObject({ status: 'completed', steps: { ran: ['lib', 'bundle', 'unit'] } })
  expect(told('step-parked')).toEqual([])
})
