/** Every tool, resource and prompt through the official client, which checks results against the schemas of their tools. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reach, WAYS, type Reached } from './reach.ts'

type Structured = Readonly<Record<string, unknown>>

interface Row {
  readonly id: string
  readonly token: number
  readonly holder: string
}

interface Answered {
  readonly seq: number
  readonly value: Row & readonly Row[]
  readonly items: readonly Row[]
  readonly events: readonly string[]
}

describe.each(WAYS)('over %s, era %s', (way, era, version) => {
  let reached: Reached
  beforeAll(async () => {
    reached = await reach(way, era)
    // The client checks results only of tools that it has listed.
    await reached.client.listTools()
  })
  afterAll(() => reached.end())

  const call = (name: string, args: Structured = {}) => reached.client.callTool({ name, arguments: { ...args } })
  const done = async (name: string, args: Structured = {}) => {
    const result = await call(name, args)
    expect(result.isError, JSON.stringify(result.content)).toBeFalsy()
    // As the schema of the tool says, which the client has checked.
    return result.structuredContent as Answered
  }
  const said = async (name: string, args: Structured = {}) => {
    const { isError, content } = await call(name, args)
    expect(isError).toBe(true)
    const [first] = content
    return first?.type === 'text' ? first.text : ''
  }

  test(`the client and the server agree on ${version}`, () => {
    expect(reached.client.getNegotiatedProtocolVersion()).toBe(version)
  })

  test('a task goes from the list to done, under the token of its claim', async () => {
    const { value: added } = await done('task_add', { title: 'hash passwords' })
    expect((await done('task_ready')).items.map(({ id }) => id)).toContain(added.id)
    const { value: claim } = await done('task_claim', { task: added.id, actor: 'agent:a' })
    expect(claim).toMatchObject({ id: added.id, holder: 'agent:a' })
    expect(await said('task_done', { task: added.id, token: claim.token + 1000 })).toMatch(/^LEASE_LOST: [^]*next: /)
    await done('task_done', { task: added.id, token: claim.token, actor: 'agent:a' })
    expect(await said('task_claim', { task: added.id })).toContain('next: ')
    const { value: other } = await done('task_add', { title: 'will fail' })
    const { value: second } = await done('task_claim', { task: other.id })
    expect(second.holder).toBe('agent:tester')
    expect((await done('task_fail', { task: other.id, token: second.token, reason: 'no' })).events).not.toEqual([])
    expect((await done('task_list')).items.length).toBeGreaterThanOrEqual(2)
  })

  test('a message is received under a lease and acknowledged', async () => {
    await done('message_send', { payload: { ask: 'argon2?' }, to: ['bob'], actor: 'agent:ann' })
    const { value } = await done('message_receive', { agent: 'bob', actor: 'agent:bob' })
    const [message] = value
    expect(message).toMatchObject({ from: 'ann', payload: { ask: 'argon2?' } })
    await done('message_ack', { id: message?.id, token: message?.token, agent: 'bob', actor: 'agent:bob' })
  })

  test('a lock is held by one, and given back', async () => {
    const { value } = await done('lock_acquire', { resource: 'src/auth', actor: 'agent:a' })
    expect(await said('lock_acquire', { resource: 'src/auth', actor: 'agent:b' })).toMatch(/^LEASE_HELD/)
    await done('lock_release', { resource: 'src/auth', token: value.token, actor: 'agent:a' })
  })

  test('work is handed on', async () => {
    const { value: task } = await done('task_add', { title: 'to hand on' })
    const { value: handoff } = await done('handoff_create', { to: 'b', task_id: task.id, actor: 'agent:a' })
    await done('handoff_accept', { id: handoff.id, actor: 'agent:b' })
  })

  test('state is set once for a key, and only where it stood', async () => {
    const first = await done('state_set', { path: '$.data.topic', value: { a: [1] }, idempotency_key: 'k' })
    const again = await done('state_set', { path: '$.data.topic', value: { a: [1] }, idempotency_key: 'k' })
    expect(again).toMatchObject({ seq: first.seq, repeated: true })
    expect((await done('state_get', { path: '$.data.topic' })).value).toEqual({ a: [1] })
    expect(await said('state_get', { path: '$.data.topic.b.c' })).toMatch(
      /^PATH_NOT_FOUND: there is nothing at \$\.data\.topic\.b\.c\n\$\.data\.topic has a\n.*state_get$/s,
    )
    await done('state_set', { path: '$.data.nothing', value: null })
    expect((await done('state_get', { path: '$.data.nothing' })).value).toBeNull()
    expect((await done('state_query', { query: '$.data.topic.a[*]' })).items).toEqual([1])
    expect(await said('state_set', { path: '$.data.topic', value: 2, expected_seq: 1 })).toMatch(/^CONFLICT/)
    expect(await said('state_set', { path: '$.session.name', value: 'x' })).toMatch(/^PATH_NOT_WRITABLE/)
  })

  test('the rest of the tools answer, and turn_say says what is missing', async () => {
    expect((await done('session_show')).value).toMatchObject({ name: 'build', goal: 'Ship it' })
    expect((await done('inbox_list')).items).toEqual(expect.any(Array))
    expect((await done('inbox_list', { session: 'build' })).items).toEqual(expect.any(Array))
    expect(await said('inbox_list', { session: 'biuld' })).toMatch(/^SESSION_NOT_FOUND/)
    expect((await done('step_list')).items).toEqual([])
    expect(await said('turn_say', { channel: 'dev', text: 'hello' })).toContain('next: ')
  })

  test('a number in the address of a resource is a place in a list, or the name of a member', async () => {
    await done('state_set', { path: '$.data.places', value: { list: ['a', { x: 'b' }], 0: 'named' } })
    const read = async (path: string) => {
      const uri = `steadfold://sessions/build/state/data/places/${path}`
      const [first] = (await reached.client.readResource({ uri })).contents
      return first !== undefined && 'text' in first ? (JSON.parse(first.text) as unknown) : undefined
    }
    expect([await read('list/0'), await read('list/1/x'), await read('list/2'), await read('0')]).toEqual([
      'a',
      'b',
      null,
      'named',
    ])
  })

  test('resources are listed, read, and told of when they change', async () => {
    const { client, served } = reached
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('steadfold://sessions/build/tasks')
    const uri = 'steadfold://sessions/build/tasks'
    const told = new Promise<string>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
    })
    if (era === 'legacy') await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    const session = await served.workspace.session('build')
    await session.run('task.add', { title: 'from elsewhere' })
    expect(await told).toBe(uri)
    const { contents } = await client.readResource({ uri })
    expect(JSON.stringify(contents)).toContain('from elsewhere')
    await expect(client.readResource({ uri: 'steadfold://sessions/nobody' })).rejects.toMatchObject({ code: -32602 })
  })

  test('words are completed by the sessions and the agents that there are', async () => {
    const { client, served } = reached
    const session = await served.workspace.session('build')
    for (const agent of ['planner', 'worker']) await session.run('agent.register', { agent, type: 'coder' })
    await session.close()
    const words = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt', name: 'handoff_brief' } as const
      return (await client.complete({ ref, argument: { name, value } })).completion.values
    }
    expect(await words('session', 'b')).toEqual(['build'])
    await expect.poll(() => words('to', '')).toEqual(['planner', 'worker'])
    expect(await words('agent', 'w')).toEqual(['worker'])
  })

  test('prompts tell of the state as it is', async () => {
    const { client } = reached
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['resume_brief', 'handoff_brief', 'catch_up'])
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { agent: 'a' } })
      expect(JSON.stringify(messages)).toContain('Ship it')
    }
  })
})
