/* What a run has done itself is not told as saved when it comes to the state again. */
import { expect, test } from 'vitest'
import { effect, projectForEachTest } from '../../test/runner/project.ts'

const project = projectForEachTest()

test('a run that waited for a person has not saved what it paid for itself', async () => {
  const paid = { run: `echo tokens=100 >> "$STEADFOLD_OUTPUT"; ${effect('paid')}` }
  const steps = { paid, parked: { run: 'test -e ok || exit 77', needs: ['paid'] } }
  const running = project.run({ name: 'own', states: { only: { steps }, done: {} } }, { wait: true })
  await project.heard('waiting')
  project.write('ok', '')
  await (await project.session('own')).run('step.release', { step: 'parked' }, { actor: 'human:ana' })
  expect(await running).toMatchObject({
    status: 'completed',
    steps: { ran: ['paid', 'parked'], reused: [] },
    spent: { tokens: 100 },
    saved: { tokens: 0 },
  })
  expect(project.effects()).toEqual(['paid'])
})
