import { describe, expect, test } from 'vitest'
import { openChat, type Chat } from '../../../test/conformance/chat.ts'
import { PHASES, type Phase } from './events.ts'

/** From, to: what may happen. The moves of the design, written down a second time. */
const ALLOWED: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: ['execute', 'plan', 'brainstorm'],
  brainstorm: ['chat', 'plan', 'execute'],
  plan: ['execute'],
  execute: ['verification', 'chat'],
  verification: ['chores', 'execute', 'chat'],
  chores: ['reflection'],
  reflection: ['chat'],
}

/** A way from chat to each phase. */
const WAYS: Readonly<Record<Phase, readonly Phase[]>> = {
  chat: [],
  brainstorm: ['brainstorm'],
  plan: ['plan'],
  execute: ['execute'],
  verification: ['execute', 'verification'],
  chores: ['execute', 'verification', 'chores'],
  reflection: ['execute', 'verification', 'chores', 'reflection'],
}

async function chatIn(phase: Phase): Promise<Chat> {
  const chat = await openChat()
  await chat.run('open', { title: 'Login', id: 'login' })
  for (const to of WAYS[phase]) await chat.run('phase', { conversation: 'login', to })
  return chat
}

interface Shown {
  readonly phase: Phase
  readonly title: string
  readonly transitions: readonly Readonly<Record<string, unknown>>[]
  readonly violations: readonly unknown[]
  readonly agents: readonly Readonly<Record<string, unknown>>[]
}

const shown = async ({ run }: Chat) => (await run('show', { conversation: 'login' })) as Shown

describe.each(PHASES)('from %s', (from) => {
  test.each(PHASES)('C2 to %s: only by the table; staying is a handoff', async (to) => {
    const chat = await chatIn(from)
    const code = await chat.refused('phase', { conversation: 'login', to, why: 'time' })
    const { phase, transitions } = await shown(chat)
    if (from !== to && !ALLOWED[from].includes(to)) {
      expect([code, phase]).toEqual(['TRANSITION_INVALID', from])
      return
    }
    expect([code, phase]).toEqual([undefined, to])
    const kind = from === to ? 'handoff' : 'transition'
    expect(transitions.at(-1)).toMatchObject({ from, to, kind, violation: false, author: 'human:ana', reason: 'time' })
  })

  test.each(PHASES)('C2 back to %s: an explicit move, to a phase that was there before', async (to) => {
    const chat = await chatIn(from)
    const code = await chat.refused('phase', { conversation: 'login', to, rollback: true })
    const wasThere = to !== from && ['chat', ...WAYS[from]].includes(to)
    expect(code).toBe(wasThere ? undefined : 'TRANSITION_INVALID')
    expect((await shown(chat)).transitions.at(-1)?.['kind']).toBe(
      wasThere ? 'rollback' : WAYS[from].length === 0 ? undefined : 'transition',
    )
  })
})

test('C2 a table that only advises carries out what it does not have, and puts it on record', async () => {
  const chat = await chatIn('plan')
  await chat.run('configure', { advisory: true })
  await chat.run('phase', { conversation: 'login', to: 'reflection' })
  const { phase, transitions, violations } = await shown(chat)
  expect(phase).toBe('reflection')
  expect(transitions.at(-1)).toMatchObject({ violation: true })
  expect(violations).toHaveLength(1)
})

test('C2 of two moves that were made apart, the later in order goes on from where the first led', async () => {
  const chat = await chatIn('chat')
  const move = (id: string, to: Phase) => ({ conversation: 'login', to, text: id })
  await chat.run('phase', move('one', 'plan'))
  const events = (await chat.run('export', { conversation: 'login' })) as readonly { readonly id: string }[]
  const other = await chatIn('chat')
  await other.run('phase', move('two', 'brainstorm'))
  const theirs = (await other.run('export', { conversation: 'login' })) as readonly unknown[]
  await chat.run('ingest', { events: theirs, plain: true })
  await other.run('ingest', { events, plain: true })
  expect((await shown(chat)).transitions).toEqual((await shown(other)).transitions)
  expect((await shown(chat)).violations).toEqual((await shown(other)).violations)
})

test('C7 the move from reflection to chat clears the files that were read', async () => {
  const chat = await chatIn('reflection')
  const files = async () => (await shown(chat)).agents.find(({ agent }) => agent === 'agent:planner')?.['read_files']
  await chat.run('file', { conversation: 'login', path: 'a.ts', agent: 'planner' })
  expect(await files()).toEqual(['a.ts'])
  chat.host.advance(1000)
  await chat.run('phase', { conversation: 'login', to: 'chat' })
  expect(await files()).toEqual([])
  chat.host.advance(1000)
  await chat.run('file', { conversation: 'login', path: 'b.ts', agent: 'planner' })
  expect(await files()).toEqual(['b.ts'])
})
