import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesKernel, openWorkspace } from '../../src/compose.ts'
import { repairSession } from '../../src/kernel/care/repair.ts'
import { following, Served, standing, take, type Message } from './served.ts'

let served: Served
beforeAll(async () => {
  served = await Served.open()
  for (const name of ['a', 'b']) await served.data('POST', '/v1/sessions', { body: { name } })
})
afterAll(() => served.remove())

const set = (session: string, value: unknown) =>
  served.data<{ readonly seq: number }>('POST', `/v1/sessions/${session}/state.set`, {
    body: { path: 'data.x', value },
  })

describe('a session as it comes', () => {
  test('from the first commit on, and on behind the last one that was seen', async () => {
    for (const value of [1, 2, 3]) await set('a', value)
    const all = await take(served.messages('/v1/sessions/a/stream?after=0'), 4)
    expect(all.map(({ type, seq, cursor }) => [type, seq, cursor])).toEqual(
      [1, 2, 3, 4].map((seq) => ['commit', seq, String(seq)]),
    )
    const rest = await take(served.messages('/v1/sessions/a/stream', { 'Last-Event-ID': '2' }), 2)
    expect(rest.map(({ seq }) => seq)).toEqual([3, 4])
  })

  test('what others write in files comes, too', async () => {
    const stream = served.messages('/v1/sessions/a/stream?after=4')
    const other = await served.workspace.session('a')
    const [[message]] = await Promise.all([take(stream, 1), other.run('state.set', { path: 'data.y', value: 'file' })])
    await other.close()
    expect(message).toMatchObject({ type: 'commit', seq: 5, op: 'state.set' })
  })

  test('only what fits the filter', async () => {
    await served.data('POST', '/v1/sessions/a/output.set', { body: { name: 'k', value: 'v' } })
    const [first] = await take(served.messages('/v1/sessions/a/stream?after=0&op=output.*'), 1)
    expect(first).toMatchObject({ op: 'output.set' })
  })

  test('as server-sent events for a browser, with ids to go on from', async () => {
    const answer = await fetch(`${served.daemon.url}/v1/sessions/a/stream?after=0`, {
      headers: { Authorization: `Bearer ${served.record.token}`, Accept: 'text/event-stream' },
    })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const text = new TextDecoder()
    let said = ''
    // Leaving the loop ends the stream.
    for await (const chunk of answer.body ?? []) {
      said += text.decode(chunk, { stream: true })
      if (said.includes('\nid: 2\n')) break
    }
    expect(said).toMatch(/^id: 1\nevent: commit\ndata: \{"session":"[^\n]+\}\n\nid: 2\n/)
  })

  test('a cursor that the log does not reach is no place to begin at', async () => {
    const { seq } = await set('a', 'head')
    const beyond = await served.ask('GET', `/v1/sessions/a/stream?after=${seq + 1}`)
    expect([beyond.status, beyond.text]).toEqual([404, expect.stringContaining('POINT_NOT_FOUND')])
    const stream = served.messages(`/v1/sessions/a/stream?after=${seq}`)
    const [[next]] = await Promise.all([take(stream, 1), set('a', 'behind it')])
    expect(next).toMatchObject({ type: 'commit', seq: seq + 1 })
  })

  test('who comes back with more than the log has is told where it stands, and misses nothing from there on', async () => {
    const { seq } = await set('b', 'head')
    const stream = served.messages('/v1/sessions/b/stream?op=state.*', { 'Last-Event-ID': String(seq + 7) })
    const { value: reset } = await stream.next()
    expect(reset).toMatchObject({ type: 'reset', cursor: String(seq) })
    expect(Object.values((reset as Message).sessions ?? {})).toEqual([seq])
    const [[next]] = await Promise.all([take(stream, 1), set('b', 'behind it')])
    expect(next).toMatchObject({ type: 'commit', seq: seq + 1 })
    const [again] = await take(served.messages('/v1/sessions/b/stream', { 'Last-Event-ID': String(seq) }), 1)
    expect(again).toMatchObject({ type: 'commit', seq: seq + 1 })
  })

  test('a cursor that is none, and a session that is none, are said', async () => {
    expect((await served.ask('GET', '/v1/sessions/a/stream?after=x')).status).toBe(400)
    expect((await served.ask('GET', '/v1/sessions/none/stream')).status).toBe(404)
    expect((await served.ask('GET', '/v1/sessions/a/stream?format=xml')).status).toBe(400)
  })
})

describe('all sessions as they come', () => {
  test('H2. a reader goes on where it was, sessions that begin among them', async () => {
    const stream = served.messages('/v1/stream')
    const { value: ready } = await stream.next()
    expect(ready).toMatchObject({ type: 'ready' })
    await set('a', 'one')
    await set('b', 'two')
    await served.data('POST', '/v1/sessions', { body: { name: 'c' } })
    const found = await take(stream, 3)
    expect(found.map(({ op }) => op)).toEqual(['state.set', 'state.set', 'session.create'])
    const [second] = await take(served.messages('/v1/stream', { 'Last-Event-ID': found[0]?.cursor ?? '' }), 2).then(
      (messages) => messages.filter(({ type }) => type === 'commit'),
    )
    expect(second).toMatchObject({ cursor: found[1]?.cursor, session: found[1]?.session })
  })

  test('H2. a cursor of another daemon begins anew, and says so', async () => {
    const found = await take(served.messages('/v1/stream?after=000000000000-7'), 2)
    expect(found.map(({ type }) => type)).toEqual(['ready', 'reset'])
  })

  test('H2. a cursor that this daemon did not give is not said again, with whatever stands in it', async () => {
    const { cursor = '' } = (await take(served.messages('/v1/stream'), 1))[0] ?? {}
    for (const asked of [
      '0-0\n\nevent: commit\ndata: {}\n\n',
      `${cursor}\nevent: commit\ndata: {}\n\n`,
      `${cursor}\n\n`,
    ]) {
      const answer = await fetch(`${served.daemon.url}/v1/stream?after=${encodeURIComponent(asked)}`, {
        headers: { Authorization: `Bearer ${served.record.token}`, Accept: 'text/event-stream' },
      })
      let said = ''
      for await (const chunk of answer.body ?? []) {
        said += new TextDecoder().decode(chunk)
        if (said.includes('event: reset')) break
      }
      expect(said).toMatch(/^event: ready\ndata: \{\}\n\nid: [0-9a-f]{12}-\d+\nevent: reset\n/)
    }
  })

  test('H4. when a repair puts another log in the place of one, readers are told, and what is read and written is the new one', async () => {
    await served.data('POST', '/v1/sessions', { body: { name: 'mended' } })
    for (const value of ['one', 'two', 'three']) await set('mended', value)
    const stream = served.messages('/v1/stream')
    await stream.next()
    const session = await served.workspace.session('mended')
    const { id } = session
    await session.close()
    const folder = path.join(served.dir, '.steadfold', 'sessions', id, 'log')
    const file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"value":"two"', '"value":"TWO"'))
    await repairSession(filesKernel(path.join(served.dir, '.steadfold')), id)
    const told = await following(stream)
    expect(told).toMatchObject({ type: 'reset', sessions: { [id]: expect.any(Number) as unknown } })
    // The daemon may look between the cut and the commit that tells of it, which comes then.
    if (told?.['sessions']?.[id] !== 3) await standing(stream, id, 3)
    const read = await served.data<{ readonly seq: number }>('GET', '/v1/sessions/mended/state?path=data.x')
    expect(read).toMatchObject({ seq: 3, value: 'one' })
    expect(await set('mended', 'four')).toMatchObject({ seq: 4 })
    await standing(stream, id, 4)
  })

  test('H5. a log that cannot be read for a while is followed when it can be again', async () => {
    await served.data('POST', '/v1/sessions', { body: { name: 'torn' } })
    const { seq } = await set('torn', 'one')
    const session = await served.workspace.session('torn')
    const { id } = session
    await session.close()
    const stream = served.messages('/v1/stream')
    await stream.next()
    const folder = path.join(served.dir, '.steadfold', 'sessions', id, 'log')
    const file = path.join(folder, fs.readdirSync(folder)[0] ?? '')
    const whole = fs.readFileSync(file)
    fs.truncateSync(file, 10)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await expect(set('torn', 'lost')).rejects.toThrow('LOG_CORRUPT')
    fs.writeFileSync(file, whole)
    expect(await set('torn', 'two')).toMatchObject({ seq: seq + 1 })
    await standing(stream, id, seq + 1)
  })

  test('H2. a reader that outlives the daemon has every commit once, by what it is told on its return', async () => {
    const own = await Served.open()
    for (const name of ['a', 'b']) await own.data('POST', '/v1/sessions', { body: { name } })
    const write = (name: string) =>
      own.data<{ readonly seq: number }>('POST', `/v1/sessions/${name}/state.set`, {
        body: { path: 'data.x', value: {} },
      })
    const seen: (readonly [string, number])[] = []
    const hear = ({ session = '', seq = 0 }: Message) => seen.push([session, seq])
    const before = own.messages('/v1/stream')
    await before.next()
    await write('a')
    const [first] = await take(before, 1)
    hear(first ?? { type: '' })
    await own.stop()
    const alone = await openWorkspace({ dir: own.dir })
    const sessions = await Promise.all(['a', 'b'].map((name) => alone.session(name)))
    for (const session of sessions) await session.state.set({ path: 'data.y', value: 1 })
    await alone.close()
    await own.start()
    const after = own.messages('/v1/stream', { 'Last-Event-ID': first?.cursor ?? '' })
    const told = [await after.next(), await after.next()].map(({ value }) => value as Message)
    expect(told.map(({ type }) => type)).toEqual(['ready', 'reset'])
    for (const [id, until] of Object.entries(told[1]?.sessions ?? {})) {
      const last = seen.findLast(([session]) => session === id)?.[1] ?? 1
      const missed = await own.data<readonly Message[]>('GET', `/v1/sessions/${id}/log?cursor=${last}&until=${until}`)
      for (const commit of missed) hear({ ...commit, session: id })
    }
    await write('b')
    for (const commit of await take(after, 1)) hear(commit)
    const [a = '', b = ''] = sessions.map(({ id }) => id)
    const seqs = (id: string) => seen.filter(([session]) => session === id).map(([, seq]) => seq)
    expect([seqs(a), seqs(b)]).toEqual([
      [2, 3],
      [2, 3],
    ])
    await own.remove()
  })
})

describe('O. clients that go or stall', () => {
  const HEAD = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: ${served.host}\r\nAuthorization: Bearer ${served.record.token}\r\n\r\n`
  const opened = (target: string) =>
    new Promise<{ readonly socket: net.Socket; readonly first: string }>((resolve) => {
      const socket = net.connect(served.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.once('data', (chunk) => resolve({ socket, first: chunk.toString() }))
      socket.write(HEAD(target))
    })

  test('O3. who vanishes leaves nothing: as many again find room', async () => {
    for (let round = 0; round < 3; round++) {
      const open = await Promise.all(Array.from({ length: 40 }, () => opened('/v1/sessions/a/stream')))
      expect(open.filter(({ first }) => first.startsWith('HTTP/1.1 200'))).toHaveLength(40)
      await Promise.all(open.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve).destroy())))
    }
    const [message] = await take(served.messages('/v1/sessions/a/stream?after=0'), 1)
    expect(message).toMatchObject({ seq: 1 })
  })

  test('there are only so many, and who comes too late is told', async () => {
    const open = await Promise.all(Array.from({ length: 101 }, () => opened('/v1/stream')))
    const refused = open.filter(({ first }) => first.startsWith('HTTP/1.1 503'))
    expect(refused.length).toBeGreaterThanOrEqual(1)
    expect(refused[0]?.first).toContain('STREAMS_FULL')
    await Promise.all(open.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve).destroy())))
  })

  test('O1. who does not read holds up nobody', async () => {
    const text = 'x'.repeat(200_000)
    for (let i = 0; i < 40; i++) await set('b', `${text}${i}`)
    const { socket } = await opened('/v1/sessions/b/stream?after=0')
    socket.pause()
    const found = await take(served.messages('/v1/sessions/b/stream?after=0'), 42)
    expect(found.at(-1)).toMatchObject({ seq: 42 })
    socket.destroy()
  })

  test('a stream ends with the daemon, and says so', async () => {
    const own = await Served.open()
    await own.data('POST', '/v1/sessions', { body: { name: 'a' } })
    const stream = own.messages('/v1/sessions/a/stream?after=0')
    await stream.next()
    const last = (async () => {
      let message
      for await (const each of stream) message = each
      return message
    })()
    const { dir } = own
    await own.stop()
    expect(await last).toMatchObject({ type: 'result', reason: 'the daemon ends' })
    expect(dir).not.toBe('')
  })
})
