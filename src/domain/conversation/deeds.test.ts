import { expect, test } from 'vitest'
import { openChat } from '../../../test/conformance/chat.ts'

const ADA = 'agent:ada'

/** What is asked for, by whom, and what is told of the message. */
const DEEDS: readonly (readonly [verb: string, input: object, actor: string, does: string | null])[] = [
  ['post', { text: 'which hash?' }, ADA, null],
  ['post', { text: '', tool: 'grep', call: 'c1' }, ADA, 'calls grep'],
  ['post', { text: 'two lines', result: 'c1' }, ADA, 'result of c1'],
  ['phase', { to: 'plan', why: 'ready' }, ADA, 'chat → plan: ready'],
  ['route', { agents: ['ada', 'ben'] }, ADA, 'turn of agent:ada, agent:ben'],
  ['complete', { text: 'done' }, ADA, 'agent:ada is done'],
  ['title', { title: 'Keys' }, ADA, 'calls it "Keys"'],
  ['member', { author: ADA, role: 'agent', name: 'Ada' }, 'human:sam', 'counts agent:ada as agent, called "Ada"'],
  ['archive', {}, 'human:sam', 'puts it away'],
  ['archive', { undo: true }, 'human:sam', 'takes it out again'],
]

test('C2 a message says what it does, also where it has no text', async () => {
  const { run } = await openChat()
  await run('open', { title: 'Login', id: 'login', text: 'build it' })
  for (const [verb, input, actor] of DEEDS) await run(verb, { conversation: 'login', ...input }, actor)
  const { shown } = (await run('show', { conversation: 'login' })) as { readonly shown: readonly { does: unknown }[] }
  expect(shown.slice(-DEEDS.length).map(({ does }) => does)).toEqual(DEEDS.map(([, , , does]) => does))
})

test('C2 of a merge it is told where the talk goes on', async () => {
  const { run } = await openChat()
  for (const id of ['a', 'b']) await run('open', { title: id, id, text: 'begun' })
  await run('merge', { conversation: 'a', into: 'b' })
  const { shown } = (await run('show', { conversation: 'b' })) as { readonly shown: readonly { does: unknown }[] }
  expect(shown.map(({ does }) => does)).toContain('makes it one with b')
})
