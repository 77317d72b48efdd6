import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorkspace } from '../../src/compose.ts'
import { operations } from '../../src/compose/operations.ts'
import { openApiDocument } from '../../src/serve.ts'
import { Served } from './served.ts'

type Members = Readonly<Record<string, unknown>>

let served: Served
beforeAll(async () => {
  served = await Served.open()
  await served.data('POST', '/v1/sessions', { body: { name: 'a', goal: 'to be read' } })
  for (const [i, value] of ['one', 'two', 'three'].entries())
    await run('state.set', { path: 'data.topic', value, $actor: `agent:w${i}`, $reason: `for ${value}` })
})
afterAll(() => served.remove())

const run = (operation: string, body: unknown) => served.data<Members>('POST', `/v1/sessions/a/${operation}`, { body })
const get = <T = Members>(target: string) => served.data<T>('GET', `/v1/sessions/a${target}`)

describe('operations', () => {
  test('the same key gives the first answer again; a stale sequence number is a conflict', async () => {
    const once = { path: 'data.k', value: 1, $key: 'once' }
    const first = await run('state.set', once)
    expect(await run('state.set', once)).toEqual({ ...first, repeated: true })
    const headers = { 'Steadfold-If-Seq': '1' }
    const reply = await served.ask('POST', '/v1/sessions/a/state.set', { headers, body: { path: 'data.k', value: 2 } })
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
      409,
      { error: { code: 'CONFLICT', details: { expected: 1 } } },
    ])
  })

  test('what a refusal says to type next names the session, whatever word the path had for it', async () => {
    const { id } = await get<{ readonly id: string }>('')
    for (const word of ['a', id]) {
      const reply = await served.ask('POST', `/v1/sessions/${word}/task.claim`, { body: { task: 't-9' } })
      expect(JSON.parse(reply.text)).toMatchObject({ error: { hint: 'steadfold task list --session a' } })
    }
  })

  test('a dry run writes nothing', async () => {
    const before = (await get('')) as { readonly seq: number }
    expect(await run('state.set', { path: 'data.dry', value: 1, $dry_run: true })).toMatchObject({ dry_run: true })
    expect(await get('')).toMatchObject({ seq: before.seq })
  })

  test('who asked, and why, is in the log, by headers as by members', async () => {
    const headers = { 'Steadfold-Actor': 'agent:header', 'Steadfold-Reason': 'said', 'Idempotency-Key': 'h1' }
    await served.data('POST', '/v1/sessions/a/state.set', { headers, body: { path: 'data.h', value: 1 } })
    const [last] = await get<readonly Members[]>('/log?order=desc&limit=1')
    expect(last).toMatchObject({ actor: 'agent:header', reason: 'said', key: 'h1' })
  })

  test('a header in UTF-8, as programs send it, is read as that; in Latin-1, as browsers do, as that', async () => {
    const body = { path: 'data.h', value: 1 }
    const reason = async () => (await get<readonly Members[]>('/log?order=desc&limit=1'))[0]?.['reason']
    await served.data('POST', '/v1/sessions/a/state.set', { headers: { 'Steadfold-Reason': 'größer 🦊' }, body })
    expect(await reason()).toBe('größer 🦊')
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${served.record.token}`,
      'Steadfold-Reason': 'kleiner ü',
    }
    const target = `${served.daemon.url}/v1/sessions/a/state.set`
    await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(await reason()).toBe('kleiner ü')
  })

  test('a misspelt header is refused: a dry run that was not heard of would write', async () => {
    const before = await get('')
    for (const header of ['Steadfold-Dryrun', 'Steadfold-IfSeq', 'Steadfold-Key']) {
      const asked = { headers: { [header]: 'true' }, body: { path: 'data.misspelt', value: 1 } }
      expect((await served.ask('POST', '/v1/sessions/a/state.set', asked)).status).toBe(400)
    }
    const begin = { headers: { 'Steadfold-Dryrun': 'true' }, body: { name: 'misspelt' } }
    expect((await served.ask('POST', '/v1/sessions', begin)).status).toBe(400)
    expect(await get('')).toEqual(before)
  })

  test('reads answer as of then', async () => {
    expect(await run('state.get', { path: 'data.topic', $at: '@-99999' }).catch(String)).toContain('404')
    expect(await run('state.get', { path: 'data.topic', $at: '2' })).toMatchObject({ seq: 2, value: 'one' })
  })

  test.each([
    ['an unknown operation', 'no.such', {}, 404],
    ['an input that does not fit', 'state.set', { path: 1 }, 422],
    ['an actor that is none', 'state.set', { path: 'data.x', value: 1, $actor: 'me' }, 400],
    ['a write into the past', 'state.set', { path: 'data.x', value: 1, $at: '1' }, 400],
    ['a sequence number that is none', 'state.set', { path: 'data.x', value: 1, $if_seq: -1 }, 400],
  ])('%s is refused with its status', async (_what, operation, body, status) => {
    expect((await served.ask('POST', `/v1/sessions/a/${operation}`, { body })).status).toBe(status)
  })

  test('a status that no session can have is refused: it would look as if there were none', async () => {
    expect((await served.ask('GET', '/v1/sessions?status=ended')).status).toBe(400)
    expect((await served.ask('GET', '/v1/sessions?status=damaged')).status).toBe(200)
  })

  test('two ways of saying it that differ are refused', async () => {
    const asked = { headers: { 'Idempotency-Key': 'x' }, body: { path: 'data.x', value: 1, $key: 'y' } }
    expect((await served.ask('POST', '/v1/sessions/a/state.set', asked)).status).toBe(400)
  })
})

describe('reads', () => {
  test('the log comes in pages, either way, and every commit once', async () => {
    for (const order of ['asc', 'desc']) {
      const seqs: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { text } = await served.ask('GET', `/v1/sessions/a/log?order=${order}&limit=2&cursor=${cursor}`)
        const page = JSON.parse(text) as {
          readonly data: readonly { readonly seq: number }[]
          readonly next: string | null
        }
        seqs.push(...page.data.map(({ seq }) => seq))
        cursor = page.next
      }
      const { seq } = (await get('')) as { readonly seq: number }
      const all = Array.from({ length: seq }, (_, i) => i + 1)
      expect(seqs).toEqual(order === 'asc' ? all : all.toReversed())
    }
  })

  test('the log by actor, operation, type and points', async () => {
    const seqs = async (query: string) =>
      (await get<readonly { readonly seq: number }[]>(`/log?${query}`)).map(({ seq }) => seq)
    expect(await seqs('actor=w1')).toEqual([3])
    expect(await seqs('op=session.*')).toEqual([1])
    expect(await seqs('type=data.set&since=2&until=3')).toEqual([2, 3])
  })

  test('the log from a time on has no commit from before it; a session that began later has it all', async () => {
    const log = await get<readonly { readonly seq: number; readonly at: string }[]>('/log')
    const [, , third] = log
    await new Promise((resolve) => setTimeout(resolve, 5))
    const now = new Date().toISOString()
    expect(await get(`/log?since=${now}`)).toEqual([])
    expect(await get('/log?since=1000h')).toEqual(log)
    expect(await get('/log?until=1000h')).toEqual([])
    expect(await get(`/log?until=${now}`)).toEqual(log)
    expect(await get(`/log?since=${third?.at ?? ''}&until=3`)).not.toContainEqual(log[0])
  })

  test('state, differences, blame and history tell the same story', async () => {
    expect(await get('/state?path=data.topic&at=3')).toEqual({ path: '$.data.topic', seq: 3, value: 'two' })
    expect(await get('/diff?from=2&to=4&path=data')).toMatchObject({
      changes: [
        { kind: 'changed', path: '$.data.topic', before: 'one', after: 'three', by: { seq: 4, actor: 'agent:w2' } },
      ],
    })
    expect(await get('/blame?path=data.topic&at=3')).toMatchObject({ value: 'two', by: { seq: 3, reason: 'for two' } })
    const values = await get<readonly Members[]>('/history?path=data.topic')
    expect(values.map(({ value }) => value)).toEqual(['one', 'two', 'three'])
    expect(await get('/history?path=data.topic&count=2')).toEqual(values.slice(1))
    expect(await get('/query?q=$..topic')).toEqual([{ path: '$.data.topic', value: 'three' }])
    expect(await get('/verify')).toMatchObject({ ok: true, torn: 0 })
    expect(await served.data('GET', '/v1/verify')).toMatchObject([{ ok: true }])
    expect(await get('/recovery')).toBeNull()
  })

  test('a fork is a session of its own', async () => {
    const body = { name: 'branch', at: 2 }
    const made = await served.data<{ readonly session: Members }>('POST', '/v1/sessions/a/session.fork', { body })
    expect(made.session).toMatchObject({ name: 'branch', seq: 3 })
    expect(await served.data('GET', '/v1/sessions/branch/state?path=data.topic')).toMatchObject({ value: 'one' })
  })

  test('ended sessions are read as before, and counted in the inbox', async () => {
    await served.data('POST', '/v1/sessions', { body: { name: 'over' } })
    await served.data('POST', '/v1/sessions/over/session.end', { body: {} })
    expect(await served.data('GET', '/v1/sessions/over')).toMatchObject({ status: 'terminated' })
    const listed = await served.data<readonly Members[]>('GET', '/v1/sessions?status=terminated')
    expect(listed.map(({ name }) => name)).toEqual(['over'])
    expect(await served.data('GET', '/v1/inbox?all=true')).toMatchObject({ other: [{ name: 'over' }] })
    const { idle } = await served.data<{ readonly idle: readonly Members[] }>('GET', '/v1/inbox')
    expect(idle.map(({ name }) => String(name)).toSorted()).toEqual(['a', 'branch'])
  })

  test('what has ended is not opened again to be listed, until it goes on', async () => {
    const { log } = served.workspace.kernel
    const read = log.read.bind(log)
    let opened = 0
    log.read = (...args) => {
      opened++
      return read(...args)
    }
    const statuses = async () => {
      const listed = await served.data<readonly Members[]>('GET', '/v1/sessions')
      await served.data('GET', '/v1/inbox?all=true')
      return listed.filter(({ name }) => name === 'over').map(({ status, goal }) => [status, goal])
    }
    await statuses()
    opened = 0
    expect([await statuses(), opened]).toEqual([[['terminated', null]], 0])
    const { seq } = await served.data<{ readonly seq: number }>('GET', '/v1/sessions/over')
    const other = await openWorkspace({ dir: served.dir })
    const over = await other.session('over')
    const answer = await over.run('session.mark', { name: 'later' })
    await other.close()
    if (answer.kind === 'accepted')
      expect(
        (await served.data<readonly Members[]>('GET', '/v1/sessions')).find(({ name }) => name === 'over'),
      ).toMatchObject({ seq: seq + 1 })
    log.read = read
  })

  test('a parameter that there is not is said', async () => {
    const { status, text } = await served.ask('GET', '/v1/sessions/a/log?actr=x')
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'USAGE' } }])
  })
})

describe('OpenAPI', () => {
  test('every operation and every route is described, once', async () => {
    const served_ = JSON.parse((await served.ask('GET', '/v1/openapi.json')).text) as Members
    const { servers, ...document } = served_
    expect(servers).toEqual([{ url: served.daemon.url }])
    expect(document).toEqual(await openApiDocument())
    const { paths, openapi } = document as {
      readonly paths: Readonly<Record<string, Members>>
      readonly openapi: string
    }
    expect(openapi).toBe('3.1.0')
    for (const { name } of await operations.all()) expect(Object.keys(paths)).toContain(`/v1/sessions/{id}/${name}`)
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map((each) => (each as Members)['operationId']),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('what it describes for reading is there', async () => {
    const { paths } = (await openApiDocument()) as { readonly paths: Readonly<Record<string, Members>> }
    for (const [path, methods] of Object.entries(paths)) {
      if (!('get' in methods) || path.endsWith('/stream')) continue
      const { status } = await served.ask('GET', path.replace('{id}', 'a'))
      expect([200, 400], path).toContain(status)
    }
  })
})

test('a page of the log has fewer commits where they are large: one that was too large was answered with 500', async () => {
  const own = await Served.open()
  await own.data('POST', '/v1/sessions', { body: { name: 'large' } })
  const value = 'x'.repeat(7_000_000)
  for (let i = 0; i < 6; i++)
    await own.data('POST', '/v1/sessions/large/state.set', { body: { path: 'data.x', value } })
  const seqs = async (query: string) => {
    const { text } = await own.ask('GET', `/v1/sessions/large/log?${query}`)
    const { data, next } = JSON.parse(text) as { readonly data: readonly { seq: number }[]; readonly next: string }
    return [data.map(({ seq }) => seq), next]
  }
  expect(await seqs('')).toEqual([[1, 2, 3, 4, 5], '5'])
  expect(await seqs('cursor=5')).toEqual([[6, 7], null])
  expect(await seqs('order=desc')).toEqual([[7, 6, 5, 4], '4'])
  expect(await seqs('order=desc&cursor=4')).toEqual([[3, 2, 1], null])
  await own.remove()
})
