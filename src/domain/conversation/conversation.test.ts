import { expect, test } from 'vitest'
import { openChat, publicKey, signed } from '../../../test/conformance/chat.ts'
import type { Built } from './build.ts'
import { ViewCache } from './cache.ts'
import { truncated } from './views.ts'

async function begin() {
  const chat = await openChat()
  await chat.run('open', { title: 'Login', id: 'login', text: 'build it' })
  const post = (conversation: string, text: string, actor = 'human:ana') =>
    chat.run('post', { conversation, text }, actor) as Promise<{
      readonly event: string
      readonly conversation: string
    }>
  const texts = async (conversation: string) => {
    const { shown } = (await chat.run('show', { conversation })) as { shown: readonly { readonly content: string }[] }
    return shown.map(({ content }) => content).filter((content) => content !== '')
  }
  const hash = async (conversation: string) =>
    ((await chat.run('hash', { conversation })) as { readonly hash: string }).hash
  return { ...chat, post, texts, hash }
}

test('a conversation is found by its title, where no id begins so, and only when one has it', async () => {
  const { run, refused } = await openChat()
  await run('open', { title: 'Log in with a key', id: 'login' })
  await run('post', { conversation: 'log in with a KEY', text: 'by title' })
  expect(await run('show', { conversation: 'Log in with a key' })).toMatchObject({ id: 'login', messages: 2 })
  await run('open', { title: 'Log in with a key', id: 'again' })
  expect(await refused('post', { conversation: 'Log in with a key', text: 'which?' })).toBe('INPUT_INVALID')
  await run('merge', { conversation: 'again', into: 'login' })
  expect(await run('show', { conversation: 'Log in with a key' })).toMatchObject({ id: 'login' })
  expect(await refused('post', { conversation: 'Log in', text: 'half' })).toBe('NOT_FOUND')
  expect(await refused('post', { conversation: ' ', text: 'nothing' })).toBe('NOT_FOUND')
})

test('C3 posts of one second stay in the order in which they were made', async () => {
  const { post, texts } = await begin()
  const said = Array.from({ length: 20 }, (_, n) => `message ${n}`)
  for (const text of said) await post('login', text)
  expect(await texts('login')).toEqual(['build it', ...said])
})

test('a message says something, or calls a tool, or has the result of a call', async () => {
  const { run, refused } = await openChat()
  await run('open', { title: 'x', id: 'x' })
  for (const text of ['', ' \n']) expect(await refused('post', { conversation: 'x', text })).toBe('INPUT_INVALID')
  for (const said of [{ tool: 'grep', call: 'c1' }, { result: 'c1' }])
    await run('post', { conversation: 'x', text: '', ...said })
  expect(await run('show', { conversation: 'x' })).toMatchObject({ messages: 3 })
})

test('C2 merged conversations are one, under either name, and what was seen stays seen', async () => {
  const { run, post, texts, refused, hash } = await begin()
  await run('open', { title: 'Sign in', id: 'sign-in', text: 'build it, too' })
  await post('sign-in', 'there')
  await run('seen', { conversation: 'sign-in', agent: 'planner' })
  await run('merge', { conversation: 'sign-in', into: 'login' })
  expect(await texts('sign-in')).toEqual(await texts('login'))
  expect(await hash('sign-in')).toBe(await hash('login'))
  expect((await post('sign-in', 'after')).conversation).toBe('login')
  expect(await run('list', { all: true })).toMatchObject([{ id: 'login' }, { id: 'sign-in', merged_into: 'login' }])
  expect(await run('list', {})).toHaveLength(1)
  const built = (await run('build', { conversation: 'login', agent: 'planner' })) as Built
  expect(built.messages.slice(1).map(({ content }) => content)).not.toContain('there after')
  expect(await run('unread', { conversation: 'login', agent: 'planner' })).not.toContainEqual(
    expect.objectContaining({ content: 'there' }),
  )
  expect(await refused('merge', { conversation: 'login', into: 'sign-in' })).toBe('INPUT_INVALID')
})

test('C2 a fork shares the past up to a message and has a future of its own', async () => {
  const { run, post, texts } = await begin()
  const { event } = await post('login', 'second')
  await post('login', 'third')
  await run('fork', { conversation: 'login', at: event, id: 'other', title: 'Other way' })
  await post('other', 'instead')
  await post('login', 'fourth')
  expect(await texts('other')).toEqual(['build it', 'second', 'Forked from login', 'instead'])
  expect(await texts('login')).toEqual(['build it', 'second', 'third', 'fourth'])
  expect(await run('show', { conversation: 'other' })).toMatchObject({ title: 'Other way' })
})

test('C2 nobody without a say merges, forks, titles or archives', async () => {
  const { run, texts } = await begin()
  await run('open', { title: 'Other', id: 'other' })
  const tags = [['d', 'login']]
  await run('ingest', {
    events: [
      signed(1, '', { at: 1, tags: [...tags, ['merge', 'other']] }),
      signed(1, '', { at: 1, kind: 513, tags: [...tags, ['title', 'Spam']] }),
      signed(1, '', { at: 1, tags: [...tags, ['archive', 'true']] }),
      signed(1, '', { at: 1, tags: [...tags, ['member', publicKey(1), 'user', 'boss']] }),
    ],
  })
  expect(await run('show', { conversation: 'login' })).toMatchObject({ title: 'Login', archived: false, members: [] })
  expect(await texts('login')).toEqual(['build it'])
})

test('C2 who merges has a say in both: nobody gets into a conversation through one of their own', async () => {
  const { run, texts } = await begin()
  const mine = [['d', 'mine']]
  await run('ingest', {
    events: [
      signed(1, 'I was first', { at: -900, kind: 11, tags: mine }),
      signed(1, '', { at: 1, tags: [...mine, ['merge', 'login']] }),
    ],
  })
  expect(await texts('login')).toEqual(['build it'])
  await run('member', { conversation: 'login', author: publicKey(1), role: 'agent' })
  expect(await texts('login')).toEqual(['I was first', 'build it'])
  expect(await run('show', { conversation: 'login' })).toMatchObject({ opener: 'human:ana', title: 'Login' })
})

test('C2 whose conversation it is follows from its id, also when a stranger was there before', async () => {
  const { run } = await begin()
  const root = signed(1, 'root', { kind: 11, tags: [['title', 'Mine']] })
  const named = `${publicKey(1)}:plan`
  const tags = [
    ['title', 'Stolen'],
    ['member', publicKey(2), 'user', 'boss'],
  ]
  await run('ingest', {
    events: [signed(2, 'me first', { at: -500, tags: [['e', root.id, '', 'mention'], ['E', root.id], ...tags] })],
  })
  await run('ingest', { events: [root, signed(2, 'me first', { at: -500, tags: [['d', named], ...tags] })] })
  await run('ingest', {
    events: [
      signed(1, 'hello', {
        tags: [
          ['d', named],
          ['title', 'Plan'],
        ],
      }),
    ],
  })
  for (const [conversation, title] of [
    [root.id, 'Mine'],
    [named, 'Plan'],
  ])
    expect(await run('show', { conversation })).toMatchObject({ title, opener: publicKey(1), members: [] })
})

test('C2 an archived conversation takes no messages and leaves the list until it is taken out again', async () => {
  const { run, refused, post } = await begin()
  await run('archive', { conversation: 'login' })
  expect(await refused('post', { conversation: 'login', text: 'x' })).toBe('LIFECYCLE_INVALID')
  expect(await run('list', {})).toEqual([])
  expect(await run('list', { all: true })).toHaveLength(1)
  await run('archive', { conversation: 'login', undo: true })
  await post('login', 'x')
})

test('C2 only people put a conversation away, and take it out again', async () => {
  const { run, refused, post } = await begin()
  await run('member', { conversation: 'login', author: 'agent:coder', role: 'agent' })
  expect(await refused('archive', { conversation: 'login' }, 'agent:coder')).toBe('NEEDS_PERSON')
  await post('login', 'x')
  await run('archive', { conversation: 'login' })
  expect(await refused('archive', { conversation: 'login', undo: true }, 'agent:coder')).toBe('NEEDS_PERSON')
  expect(await run('list', {})).toEqual([])
})

test('C2 several people take part; only people say who does', async () => {
  const { run, refused } = await begin()
  expect(await refused('member', { conversation: 'login', author: 'x', role: 'user' }, 'agent:coder')).toBe(
    'NEEDS_PERSON',
  )
  await run('member', { conversation: 'login', author: publicKey(1), role: 'user', name: 'bo' })
  await run('ingest', {
    events: [
      signed(1, '', {
        at: 1,
        tags: [
          ['d', 'login'],
          ['member', publicKey(2), 'agent', 'coder'],
        ],
      }),
    ],
  })
  const { members } = (await run('show', { conversation: 'login' })) as {
    members: readonly { readonly name: string }[]
  }
  expect(members.map(({ name }) => name)).toEqual(['bo', 'coder'])
})

test('C2 a template gives title, phase, first text and members', async () => {
  const { run, refused } = await begin()
  await run('template', { name: 'bug', title: 'A bug', phase: 'plan', text: 'What happens?', agents: ['agent:qa'] })
  await run('open', { template: 'bug', id: 'b1' })
  expect(await run('show', { conversation: 'b1' })).toMatchObject({
    title: 'A bug',
    phase: 'plan',
    members: [{ author: 'agent:qa' }],
  })
  expect(await refused('template', { name: 'x', phase: 'chores' })).toBe('INPUT_INVALID')
  await run('template', { name: 'bug', remove: true })
  expect(await refused('open', { template: 'bug' })).toBe('NOT_FOUND')
})

test('C7 sessions of agents, files and times are kept here, and are no part of the conversation', async () => {
  const { run, hash, host, refused } = await begin()
  const before = await hash('login')
  const of = { conversation: 'login', agent: 'coder' }
  await run('remember', { ...of, key: 'claude_session_id', value: '7b0e' })
  await run('file', { ...of, path: 'a.ts' })
  expect(await refused('execution', { ...of, action: 'stop' })).toBe('LIFECYCLE_INVALID')
  await run('execution', { ...of, action: 'start' })
  host.advance(60_000)
  await run('execution', { ...of, action: 'note' })
  const agents = async () =>
    ((await run('show', { conversation: 'login' })) as { agents: readonly unknown[] }).agents[0]
  expect(await agents()).toMatchObject({
    agent: 'agent:coder',
    memory: { claude_session_id: '7b0e' },
    read_files: ['a.ts'],
    execution: { status: 'running', total_ms: 0 },
  })
  host.advance(16 * 60_000)
  expect(await agents()).toMatchObject({ execution: { status: 'stale' } })
  await run('execution', { ...of, action: 'start' })
  expect(await agents(), 'what was stale counts up to its last sign of life').toMatchObject({
    execution: { status: 'running', total_ms: 60_000 },
  })
  host.advance(1000)
  await run('execution', { ...of, action: 'stop' })
  expect(await agents()).toMatchObject({ execution: { status: 'stopped', total_ms: 61_000 } })
  expect(await hash('login')).toBe(before)
})

test('C6 the list by agent and by phase', async () => {
  const { run, post } = await begin()
  await run('open', { title: 'Docs', id: 'docs' })
  await run('phase', { conversation: 'docs', to: 'plan' })
  await post('login', 'x', 'agent:coder')
  const ids = async (wanted: object) =>
    ((await run('list', wanted)) as readonly { readonly id: string }[]).map(({ id }) => id)
  expect(await ids({ agent: 'coder' })).toEqual(['login'])
  expect(await ids({ phase: 'plan' })).toEqual(['docs'])
  expect(await ids({ phase: 'chores' })).toEqual([])
})

test('C6 views are evicted by number, size and age; what is read stays right', () => {
  const cache = new ViewCache({ views: 2, events: 10, age_ms: 1000 })
  cache.keep('a', { size: 1 }, 0)
  cache.keep('b', { size: 1 }, 500)
  cache.keep('c', { size: 1 }, 600)
  expect(cache.keys).toEqual(['b', 'c'])
  cache.keep('d', { size: 9 }, 700)
  expect(cache.keys).toEqual(['c', 'd'])
  cache.keep('e', { size: 20 }, 800)
  expect(cache.keys).toEqual(['e'])
  cache.keep('f', { size: 1 }, 5000)
  expect(cache.keys).toEqual(['f'])
})

test('C6 truncation keeps the first and the last, of the view only', () => {
  expect(truncated([1, 2, 3, 4, 5], 3)).toEqual([1, 4, 5])
  expect(truncated([1, 2], 2)).toEqual([1, 2])
})
