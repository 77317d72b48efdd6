import { expect, test } from 'vitest'
import { loadDefinition } from './load.ts'

const nameOf = async (file: string, more: object = {}) => {
  const value = { states: { only: { steps: {} } }, ...more }
  const readWorkflow = () => Promise.resolve({ value, folder: '/project', locate: () => file })
  const { definition, value: said } = await loadDefinition({ dir: '/project', readWorkflow }, { file })
  expect(said).toMatchObject(definition.name === 'workflow' ? value : { name: definition.name })
  return definition.name
}

test.each([
  ['/project/review.workflow.yaml', 'review'],
  ['two waves (new).yml', 'two-waves-new'],
  ['C:\\work\\ship.yaml', 'ship'],
  ['2026-plan.yaml', 'plan'],
  [`${'x'.repeat(200)}.yaml`, 'x'.repeat(128)],
  ['.yaml', 'workflow'],
  ['__proto__.yaml', 'proto__'],
  ['constructor.yaml', 'workflow'],
])('who does not name a workflow names its file: %s', async (file, name) => {
  expect(await nameOf(file)).toBe(name)
})

test('a workflow that has a name keeps it, and a wrong one is refused as what it is', async () => {
  expect(await nameOf('review.yaml', { name: 'mine' })).toBe('mine')
  await expect(nameOf('review.yaml', { name: null })).rejects.toMatchObject({ code: 'WORKFLOW_INVALID' })
})
