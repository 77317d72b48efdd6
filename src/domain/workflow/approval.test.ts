import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

const AGENT = { actor: 'agent:a' }
const PERSON = { actor: 'human:ana' }
const waiting = { kind: 'refused', code: 'NEEDS_PERSON', details: { to: 'b' } }
const done = { kind: 'accepted' }

async function defined() {
  const { session } = await begin()
  await session.run('workflow.define', { definition: { name: 'own', states: { a: {}, b: { approval: true }, c: {} } } })
  return session
}
type Session = Awaited<ReturnType<typeof defined>>
const go = (session: Session, input: object, options = AGENT) => session.run('workflow.transition', input, options)

test('W9 an agent does not enter a state that wants approval; a person does', async () => {
  const session = await defined()
  expect(await go(session, { to: 'b' })).toMatchObject(waiting)
  expect(await go(session, { to: 'b' }, PERSON)).toMatchObject(done)
  expect(await go(session, { to: 'c' })).toMatchObject(done)
})

test('W9 an agent asks by its intent, which a person lets go on', async () => {
  const session = await defined()
  expect(await go(session, { to: 'b', begin: true })).toMatchObject(done)
  expect(await go(session, { resume: true })).toMatchObject(waiting)
  expect(session.get('$.workflow')).toMatchObject({ current: 'a', intent: { to: 'b', actor: 'agent:a' } })
  expect(await go(session, { resume: true }, PERSON)).toMatchObject(done)
  expect(session.get('$.workflow')).toMatchObject({ current: 'b', intent: null })
})

test('W9 an agent may take its intent back', async () => {
  const session = await defined()
  await go(session, { to: 'b', begin: true })
  expect(await go(session, { abandon: true })).toMatchObject(done)
})

test('W1 W9 what is not allowed is refused as that, whoever asks', async () => {
  const session = await defined()
  expect(await go(session, { to: 'c' })).toMatchObject({ code: 'TRANSITION_INVALID' })
  await go(session, { to: 'b' }, PERSON)
  expect(await go(session, { to: 'b' })).toMatchObject({ kind: 'accepted', events: [] })
})

test('W9 who holds the session, as a runner does, asks at the gate instead', async () => {
  const session = await defined()
  await session.run('session.acquire', {}, AGENT)
  expect(await go(session, { to: 'b' })).toMatchObject(done)
})

test('W9 an agent does not begin again what begins with approval; a person does', async () => {
  const { session } = await begin()
  const states = { a: { approval: true }, b: {} }
  await session.run('workflow.define', { definition: { name: 'own', states } })
  await go(session, { to: 'b' })
  expect(await session.run('workflow.restart', {}, AGENT)).toMatchObject({ ...waiting, details: { to: 'a' } })
  expect(await session.run('workflow.restart', {}, PERSON)).toMatchObject(done)
})

test('W7 W9 an advisory workflow forgives what is not allowed, but asks all the same', async () => {
  const { session } = await begin()
  const states = { a: { next: ['c'] }, b: { approval: true }, c: {} }
  await session.run('workflow.define', { definition: { name: 'own', advisory: true, states } })
  expect(await go(session, { to: 'b' })).toMatchObject(waiting)
  expect(await go(session, { to: 'b' }, PERSON)).toMatchObject(done)
  expect(session.get('$.workflow.violations')).toMatchObject([{ from: 'a', to: 'b' }])
})

test('W8 an agent does not approve a retry beyond the limit, nor of what time does not mend', async () => {
  const { session } = await begin()
  const retry = (options: object) => session.run('workflow.retry', { approve: true }, options)
  await session.run('workflow.fail', { reason: 'quota', class: 'terminal' }, AGENT)
  expect(await retry(AGENT)).toMatchObject({ kind: 'refused', code: 'NEEDS_PERSON' })
  expect(await retry({ actor: 'tool:shell' })).toMatchObject({ kind: 'refused', code: 'NEEDS_PERSON' })
  expect(await retry(PERSON)).toMatchObject(done)
})
