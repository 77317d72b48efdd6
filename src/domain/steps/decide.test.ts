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
