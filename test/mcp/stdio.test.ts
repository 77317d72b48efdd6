/** The binary on a pipe, as a shell and an agent program start it. */
import { once } from 'node:events'
import { afterAll, describe, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'
import { until } from '../until.ts'

const place = new Place()
expect(place.run('session', 'create', 'build').status).toBe(0)
afterAll(() => place.remove())

const hello = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
}
const lines = (...messages: readonly object[]) =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
const speak = (input: string, ...flags: readonly string[]) => place.runWith({ input }, 'mcp', ...flags)

interface Message {
  readonly id?: number
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: Readonly<Record<string, unknown>>
  }
  readonly error?: { readonly code: number; readonly message: string }
}

const messages = (out: string): readonly Message[] =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Message]))

describe('steadfold mcp on a pipe', () => {
  test('O1, O2: what was asked before the input ended is answered, and nothing else is on stdout', () => {
    const calls = [2, 3, 4].map((id) => ({
      id,
      method: 'tools/call',
      params: { name: 'task_add', arguments: { title: `task ${id}` } },
    }))
    const { out, err, status } = speak(lines(hello, { method: 'notifications/initialized' }, ...calls))
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(new Set(messages(out).map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]))
    expect(messages(out).filter(({ result }) => result?.isError)).toEqual([])
  })

  test('--as says who asks in prompts as in tools', () => {
    const asked = ['catch_up', 'handoff_brief'].map((name, at) => ({
      id: at + 2,
      method: 'prompts/get',
      params: { name },
    }))
    for (const [flags, who] of [
      [['--as', 'agent:planner'], 'planner'],
      [[], 'pipe'],
    ] as const)
      expect(speak(lines(hello, ...asked), ...flags).out.match(/You are \w+/g)).toEqual(Array(2).fill(`You are ${who}`))
  })

  test('Codex, which clears the environment of its servers, is called as its commands and its hook are', () => {
    const as = (name: string, _meta: object) => {
      const client = { ...hello, params: { ...hello.params, clientInfo: { name, version: '1' } } }
      const call = {
        id: 2,
        method: 'tools/call',
        params: { name: 'lock_acquire', arguments: { resource: 'a' }, _meta },
      }
      const end = { id: 3, method: 'tools/call', params: { name: 'lock_release', arguments: { resource: 'a' }, _meta } }
      return /agent:[\w-]+/.exec(speak(lines(client, call, end)).out)?.[0]
    }
    const [sessionId, threadId] = ['019d1be2-5752-7553-80c4-66e6dbddb174', '019d1be3-0000-7000-8000-0000cafe0001']
    expect(as('codex-mcp-client', { sessionId, threadId })).toBe('agent:codex-dbddb174')
    expect(as('codex-mcp-client', { threadId, 'x-codex-turn-metadata': { session_id: sessionId } })).toBe(
      'agent:codex-dbddb174',
    )
    expect(as('codex-mcp-client', { threadId })).toBe('agent:codex-cafe0001')
    expect(as('codex-mcp-client', { progressToken: 1 })).toBe('agent:codex-mcp-client')
    expect(as('another', { sessionId })).toBe('agent:another')
  })

  test('O2: a last line without an end is answered, and one that was cut is not', () => {
    const call = (title: string) => ({
      id: 2,
      method: 'tools/call',
      params: { name: 'task_add', arguments: { title } },
    })
    const whole = speak(lines(hello, call('no newline')).trimEnd())
    expect(messages(whole.out).find(({ id }) => id === 2)?.result?.isError).toBeFalsy()
    expect(place.run('task', 'list').out).toContain('no newline')
    const cut = speak(lines(hello, call('cut off')).slice(0, -5))
    expect(cut.status).toBe(0)
    expect(messages(cut.out)).toHaveLength(1)
  })

  test('each older handshake is answered in its own version', () => {
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const { out } = speak(lines({ ...hello, params: { ...hello.params, protocolVersion } }))
      expect(messages(out)[0]).toMatchObject({ result: { protocolVersion } })
    }
  })

  test('X3: what comes in one list, as the older handshakes have it, is answered each by itself', () => {
    const call = { method: 'tools/call', params: { name: 'task_add', arguments: { title: 'of a list' } } }
    const list = [{ id: 2, method: 'ping' }, { method: 'notifications/initialized' }, { id: 3, ...call }, { id: 4 }, 5]
    const batch = JSON.stringify(list.map((each) => (typeof each === 'object' ? { jsonrpc: '2.0', ...each } : each)))
    const old = { ...hello, params: { ...hello.params, protocolVersion: '2025-03-26' } }
    const answers = messages(speak(`${lines(old)} ${batch}\r\n`).out)
    const of = (id: number) => answers.find((each) => each.id === id)
    expect(answers).toHaveLength(4)
    expect(of(2)).toMatchObject({ result: {} })
    expect(of(3)).toMatchObject({ result: { structuredContent: { events: ['task.added'] } } })
    expect(of(4)).toMatchObject({ error: { code: -32_600 } })
  })

  test('X3: nothing is done of a list that does not mean what it says', () => {
    const twice = '{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/list"}'
    const { out, err } = speak(`${lines(hello)}[{"jsonrpc":"2.0","id":2,"method":"ping"},${twice}]\n`)
    expect(messages(out)).toHaveLength(1)
    expect(err).toContain('it was left out')
  })

  test('lists come in pages, all of the same commit', () => {
    const adds = Array.from({ length: 60 }, (_, i) => ({
      id: i + 2,
      method: 'tools/call',
      params: { name: 'task_add', arguments: { title: `more ${i}` } },
    }))
    expect(messages(speak(lines(hello, ...adds)).out).length).toBe(61)
    const ask = (id: number, cursor?: unknown) =>
      messages(
        speak(lines(hello, { id, method: 'tools/call', params: { name: 'task_list', arguments: { cursor } } })).out,
      )
    const first = ask(2).find(({ id }) => id === 2)?.result?.structuredContent ?? {}
    expect(place.run('task', 'add', 'in between').status).toBe(0)
    const second = ask(3, first['next_cursor']).find(({ id }) => id === 3)?.result?.structuredContent ?? {}
    expect([first['items'], second['items']].flat().length).toBe(first['total'])
    expect(second).toMatchObject({ seq: first['seq'], total: first['total'] })
  })

  test('M1: a refusal is the result of a tool, and what fails is an error of the protocol', () => {
    const call = (id: number, name: string, args: object) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const { out } = speak(
      lines(
        hello,
        call(2, 'task_add', { titel: 'x' }),
        call(3, 'nothing_there', {}),
        call(4, 'state_get', { session: 'nope' }),
        {
          id: 5,
          method: 'tools/unknown',
        },
      ),
    )
    const by = new Map(messages(out).map((message) => [message.id, message]))
    expect(by.get(2)?.result?.isError).toBe(true)
    expect(by.get(3)?.error?.code).toBe(-32602)
    expect(by.get(4)?.result?.isError).toBe(true)
    expect(by.get(5)?.error?.code).toBe(-32601)
  })

  test('M1: what a refusal says to type next names the session that the call names, or what the server was started for', () => {
    const claim = (args: object) => ({
      id: 2,
      method: 'tools/call',
      params: { name: 'task_claim', arguments: { task: 't-9', ...args } },
    })
    const next = (args: object, ...flags: readonly string[]) =>
      messages(speak(lines(hello, claim(args)), ...flags).out).flatMap(
        ({ result }) => /^next: .*$/m.exec(result?.content?.[0]?.text ?? '') ?? [],
      )
    const list = 'next: steadfold task list'
    expect([next({}), next({ session: 'build' })]).toEqual([[list], [`${list} --session build`]])
    expect(next({}, '--session', 'build', '--dir', '.')).toEqual([`${list} --dir ${place.dir} --session build`])
  })

  test('M3: a request without what its method takes has invalid parameters', () => {
    const asked = ['resources/read', 'resources/subscribe', 'prompts/get', 'completion/complete', 'tools/call']
    const calls = asked.map((method, at) => ({ id: at + 2, method, params: {} }))
    const errors = messages(speak(lines(hello, ...calls)).out).flatMap(({ error }) => error?.code ?? [])
    expect(errors).toEqual(asked.map(() => -32602))
  })

  test('what is no message does not end the conversation', () => {
    const { out, err, status } = speak(`not json\n{"jsonrpc":"2.0"}\n[]\n${lines(hello)}`)
    expect(status).toBe(0)
    expect(err.split('\n')[0]).toBe('warning: a line of the input is no message of JSON-RPC; it was left out')
    expect(messages(out).some(({ id }) => id === 1)).toBe(true)
  })

  test('X1: a request that would be read as something else is refused, as over HTTP', () => {
    const set = (id: number, value: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"state_set","arguments":{"path":"$.data.x${id}","value":${value}}}}\n`
    const input = [lines(hello), set(2, '12345678901234567890'), set(3, '1,"value":2'), set(4, '9007199254740991')]
    const by = new Map(messages(speak(input.join('')).out).map((message) => [message.id, message]))
    expect(by.get(2)?.error).toMatchObject({ code: -32602, data: { code: 'NUMBER_NOT_EXACT' } })
    expect(by.get(3)?.error).toMatchObject({ code: -32602, data: { code: 'KEY_DUPLICATE' } })
    expect(by.get(4)?.result?.isError).toBeFalsy()
    expect(place.data<{ readonly value: object }>('state', 'get', 'data').value).toEqual({ x4: 9_007_199_254_740_991 })
  })

  test('X4: a request that is too large is refused, as over HTTP, and the conversation goes on', () => {
    const call = (id: number, length: number) => ({
      id,
      method: 'tools/call',
      params: { name: 'state_set', arguments: { path: '$.data.length', value: 'x'.repeat(length) } },
    })
    const long = 11 * 1024 * 1024
    const input = lines(hello, call(2, long), { method: 'x'.repeat(long) }, call(3, 100), { id: 4, method: 'ping' })
    const answers = messages(speak(input).out)
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]))
    expect(answers.find(({ id }) => id === 2)?.error).toMatchObject({
      code: -32_602,
      data: { code: 'VALUE_TOO_LARGE' },
    })
  })

  test('X2: what asks under an id and is no request is answered under it', () => {
    const strange = ['{"jsonrpc":"1.0","id":2,"method":"ping"}', '{"id":3,"method":"ping"}', '{"jsonrpc":"2.0","id":4}']
    const { out, status } = speak(`${lines(hello)}${strange.join('\n')}\n${lines({ id: 5, method: 'ping' })}`)
    const by = new Map(messages(out).map((message) => [message.id, message]))
    expect([status, ...[2, 3, 4, 5].map((id) => by.get(id)?.error?.code)]).toEqual([
      0,
      -32600,
      -32600,
      -32600,
      undefined,
    ])
  })

  test('X1: a request that is no UTF-8 is refused, as over HTTP: what nobody wrote would be stored', () => {
    const set = {
      id: 2,
      method: 'tools/call',
      params: { name: 'state_set', arguments: { path: 'data.l', value: 'é' } },
    }
    const input = Buffer.concat([Buffer.from(lines(hello)), Buffer.from(lines(set), 'latin1')])
    const { out } = place.runWith({ input }, 'mcp')
    expect(messages(out).find(({ id }) => id === 2)?.error).toMatchObject({
      code: -32602,
      data: { code: 'JSON_INVALID' },
    })
    expect(place.data<{ readonly value: object }>('state', 'get', 'data').value).not.toHaveProperty('l')
  })

  test('answers wait for a client that reads later, each in its turn', async () => {
    expect(place.run('state', 'set', 'data.long', 'x'.repeat(90_000)).status).toBe(0)
    const call = (id: number, name: string, args: object) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const reads = Array.from({ length: 30 }, (_, at) => call(at + 2, 'state_get', { path: '$.data.long' }))
    const child = place.start('mcp')
    const said = { out: '', err: '' }
    child.stderr.on('data', (chunk: Buffer) => (said.err += String(chunk)))
    child.stdin.write(lines(hello, ...reads, call(90, 'task_add', { title: 'the last' })))
    await until(() => place.run('task', 'list').out.includes('the last'))
    child.stdout.on('data', (chunk: Buffer) => (said.out += String(chunk)))
    child.stdin.end()
    await once(child, 'close')
    expect({ err: said.err, answers: messages(said.out).length }).toEqual({ err: '', answers: reads.length + 2 })
  })

  test('A2: null is no argument, as models send it that have to name all; where any JSON may stand it is one', () => {
    const nulls = { id: null, needs: null, effort: null, session: null, actor: null, expected_seq: null }
    const calls = [
      ['task_add', { title: 'with nulls', ...nulls }],
      ['state_set', { path: '$.data.nothing', value: null, idempotency_key: null }],
      ['task_add', { title: null }],
      ['task_add', { title: 'x', titel: null }],
    ].map(([name, args], at) => ({ id: at + 2, method: 'tools/call', params: { name, arguments: args } }))
    const answers = messages(speak(lines(hello, ...calls)).out)
    const isError = (id: number) => answers.find((each) => each.id === id)?.result?.isError ?? false
    expect([2, 3, 4, 5].map(isError)).toEqual([false, false, true, true])
    expect(place.data<{ readonly value: object }>('state', 'get', 'data').value).toMatchObject({ nothing: null })
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('O3: %s ends it, whoever keeps its input open', async (signal, status) => {
    const child = place.start('mcp')
    child.stdin.write(lines(hello))
    await once(child.stdout, 'data')
    const left = once(child, 'exit')
    child.kill(signal)
    expect(await left).toEqual([status, null])
    child.stdin.destroy()
  })

  test('stdout belongs to the protocol: --json is refused, a wrong session is told before it begins', () => {
    expect(speak('', '--json').status).toBe(64)
    expect(speak('', '--port', '1').status).toBe(64)
    expect(speak('', '--session', 'nope')).toMatchObject({ status: 3, out: '' })
    expect(speak('', '--as', 'nobody').status).toBe(64)
  })
})
