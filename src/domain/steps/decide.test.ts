import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'
import type { Started } from './events.ts'

test('what a refusal says to type next can be typed, whatever the step is called', async () => {
  const { session } = await begin()
  const name = "it's here"
  const start = { key: 'a'.repeat(64), name, command: 'make' }
  const began = await session.run('step.start', start)
  const { token } = (began.kind === 'accepted' ? began.value : {}) as Started
  await session.run('step.fail', { key: start.key, token, class: 'transient', reason: 'exit 1' })
  const hint = { kind: 'refused', hint: `steadfold step retry 'it'\\''s here'` }
  expect(await session.run('step.release', { step: name })).toMatchObject(hint)
  await session.run('step.park', { step: name })
  const release = { kind: 'refused', hint: `steadfold step release 'it'\\''s here'` }
  expect(await session.run('step.retry', { step: name })).toMatchObject(release)
  expect(await session.run('step.start', start)).toMatchObject(release)
})

test('T13 a gate that the workflow has left is passed by nobody, and is asked anew on the next way in', async () => {
  const { session } = await begin()
  const ana = { actor: 'human:ana' }
  const gate = { name: 'research:approval', state: 'research', reason: 'approve' }
  const release = () => session.run('step.release', { step: gate.name }, ana)
  const states = { research: { approval: true, next: ['plan'] }, plan: { next: ['research', 'end'] }, end: {} }
  await session.run('workflow.define', { definition: { name: 'round', states } })
  await session.run('step.gate', { ...gate, key: 'a'.repeat(64) })
  await session.run('workflow.transition', { to: 'plan' }, ana)
  const left = {
    kind: 'refused',
    code: 'STEP_STATUS_INVALID',
    message: expect.stringContaining('for "plan"') as unknown,
  }
  expect(await release()).toMatchObject(left)
  await session.run('workflow.transition', { to: 'research' }, ana)
  await session.run('step.gate', { ...gate, key: 'b'.repeat(64) })
  expect(await release()).toMatchObject({ kind: 'accepted', events: [{ type: 'step.released' }] })
})

test('T13 a gate of a workflow that is completed is passed by nobody', async () => {
  const { session } = await begin()
  const gate = { name: 'end:approval', state: 'end', reason: 'approve' }
  const states = { end: { approval: true } }
  await session.run('workflow.define', { definition: { name: 'short', states } })
  await session.run('step.gate', { ...gate, key: 'a'.repeat(64) })
  await session.run('workflow.complete', {}, { actor: 'human:ana' })
  const over = { kind: 'refused', message: expect.stringContaining('is completed') as unknown }
  expect(await session.run('step.release', { step: gate.name }, { actor: 'human:ana' })).toMatchObject(over)
})

test('T13 a gate that stands before no state is passed wherever the workflow stands', async () => {
  const { session } = await begin()
  await session.run('workflow.define', { definition: { name: 'round', states: { a: { next: ['b'] }, b: {} } } })
  await session.run('step.gate', { key: 'a'.repeat(64), name: 'pay', state: null, reason: 'approve' })
  expect(await session.run('step.release', { step: 'pay' }, { actor: 'human:ana' })).toMatchObject({ kind: 'accepted' })
})
