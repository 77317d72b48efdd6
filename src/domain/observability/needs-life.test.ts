/* What was asked of a person. */
import { expect, test } from 'vitest'
import { fixedHost } from '../../../test/conformance/kit.ts'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import { glance } from './inbox.ts'

const DELAY = 5000

async function begin(consent_mode: string) {
  const host = fixedHost()
  const session = await makeWorkspace({ ...memoryKernel({ checkpoints: false }), host }).createSession({ name: 'one' })
  const run = async (name: string, input: object, actor = 'human:ana') => {
    const answer = await session.run(name, input, { actor })
    if (answer.kind === 'refused') throw new Error(`${name}: ${answer.message}`)
  }
  const ask = (operation: string) => run('consent.ask', { operation }, 'agent:a')
  const needs = async () => {
    const { id, seq, updatedAt } = session
    const state = await session.stateAt()
    const { needs: found } = glance(
      { id, seq, updated_at: updatedAt, state, damaged: false, lost: undefined },
      host.now(),
    )
    return found.map(({ kind, why, next }) => `${kind} ${why}: ${next}`)
  }
  await run('session.configure', { consent_mode, gated: ['lock.break', 'team.remove'], delay_ms: DELAY })
  return { host, run, ask, needs }
}

const GRANT = 'ASK lock.break: steadfold consent grant lock.break --for agent:a --session one'
const DENY = 'ASK lock.break, done in 5 s unless denied: steadfold consent deny lock.break --for agent:a --session one'

test('an announcement may be denied, and needs nobody any more when it has waited its time', async () => {
  const { host, ask, needs } = await begin('informed')
  await ask('lock.break')
  expect(await needs()).toEqual([DENY])
  host.advance(DELAY)
  expect(await needs()).toEqual([])
})

test('a question that was answered for everybody needs nobody any more', async () => {
  const { run, ask, needs } = await begin('explicit')
  for (const operation of ['lock.break', 'team.remove']) await ask(operation)
  await run('consent.deny', { operation: 'team.remove' })
  expect(await needs()).toEqual([GRANT])
})

test('what was announced waits for an answer where each is wanted by now, however long ago it was', async () => {
  const { host, run, ask, needs } = await begin('informed')
  await ask('lock.break')
  await run('session.configure', { consent_mode: 'explicit' })
  expect(await needs()).toEqual([GRANT])
  host.advance(DELAY)
  expect(await needs()).toEqual([GRANT])
})

test.each([{ consent_mode: 'automatic' }, { gated: ['team.remove'] }, { none_gated: true }])(
  'what wants no consent by now asks nobody: %o',
  async (settings) => {
    const { run, ask, needs } = await begin('explicit')
    await ask('lock.break')
    await run('session.configure', settings)
    expect(await needs()).toEqual([])
  },
)
