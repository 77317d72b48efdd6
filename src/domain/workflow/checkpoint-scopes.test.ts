/* K5 of checkpoint.ts: scopes of a workflow's own, out and in again. */
import { expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { accepted } from '../../kernel/operation/answer.ts'
import { readCheckpoint } from './checkpoint.ts'

const begin = async () => makeWorkspace(memoryKernel()).createSession({ name: 'coat' })
const scopes = { rough: 'sew' }
const coat = {
  name: 'coat',
  initial: 'cut',
  terminal: 'iron',
  scopes,
  states: { cut: { next: ['sew'] }, sew: { next: ['iron'] }, iron: {} },
}

test('K5 a workflow with scopes of its own comes back with them, and ends where its scope does', async () => {
  const [one, other] = [await begin(), await begin()]
  accepted(await one.run('workflow.define', { definition: coat, scope: 'rough' }))
  accepted(await one.run('workflow.transition', { to: 'sew' }))
  const { value: checkpoint } = accepted(await one.run('workflow.export', {}))
  accepted(await other.run('workflow.import', { checkpoint }))
  expect(other.get('$.workflow')).toMatchObject({
    current: 'sew',
    scope: 'rough',
    terminal: 'sew',
    definition: { scopes },
  })
  const { value: again } = accepted(await other.run('workflow.export', {}))
  expect(again).toMatchObject({ state_machine: { workflow_config: { scope: 'rough', scopes } } })
})

test('K5, K6 what others call scopes is no obstacle, and kept', () => {
  const config = { scopes: { small: 'nowhere', narrow: 3 } }
  const state_machine = { current_state: 'cut', transition_table: { cut: 'sew', sew: '' }, workflow_config: config }
  expect(readCheckpoint({ version: '2.0', state_machine })).toMatchObject({
    kind: 'read',
    imported: { notes: { config } },
  })
})
