import { expect, test } from 'vitest'
import { long, two } from '../../../test/adapters/two.ts'
import { SteadfoldSessionStore, type SessionStoreEntry } from './claude-agent-sdk.ts'

const main = { projectKey: '/work/shop', sessionId: '0f1a' }
const sub = { ...main, subpath: 'subagents/agent-1' }
const entry = (uuid: string, text = uuid) => ({ type: 'user', uuid, message: { role: 'user', content: text } })

test('S1: entries come back as they were, in the order of the calls, large ones too', async () => {
  const { sessions } = await two()
  const store = new SteadfoldSessionStore(sessions[0])
  const odd = { type: 'x-odd', '': null, deep: [{ n: 1e300, big: 2 ** 60, text: '\ud800 \u0000' }] }
  const entries = [entry('a', long('large')), odd, entry('b'), entry('c')]
  await Promise.all(entries.map((each) => store.append(main, [each])))
  expect(await new SteadfoldSessionStore(sessions[1]).load(main)).toEqual(entries)
  expect(JSON.stringify(sessions[0].stored).length).toBeLessThan(10_000)
})

test('S2: an entry with a uuid counts once however it is batched, one without as often as it comes', async () => {
  const { sessions } = await two()
  const [one, other] = [new SteadfoldSessionStore(sessions[0]), new SteadfoldSessionStore(sessions[1])]
  await one.append(main, [entry('a'), entry('b')])
  const { seq } = sessions[0]
  await other.append(main, [entry('a'), entry('b')])
  expect(sessions[1].seq).toBe(seq)
  await other.append(main, [entry('b'), entry('c'), { type: 'title' }])
  await one.append(main, [{ type: 'title' }])
  const found = await one.load(main)
  expect(found?.map(({ uuid, type }) => uuid ?? type)).toEqual(['a', 'b', 'c', 'title', 'title'])
})

test('S2: a uuid that is no text is none: each of those entries counts', async () => {
  const { sessions } = await two()
  const store = new SteadfoldSessionStore(sessions[0])
  const entries: SessionStoreEntry[] = JSON.parse(
    '[{"type":"a","uuid":null},{"type":"b","uuid":null},{"type":"b","uuid":null}]',
  )
  await store.append(main, entries)
  await store.append(main, entries)
  expect(await store.load(main)).toEqual([...entries, ...entries])
})

test('S1: two processes that append at the same time lose nothing, and each keeps its order', async () => {
  const { sessions } = await two()
  const names = ['p', 'q']
  await Promise.all(
    sessions.map(async (session, at) => {
      const store = new SteadfoldSessionStore(session)
      for (let i = 0; i < 30; i++) await store.append(main, [entry(`${names[at]}${String(i).padStart(2, '0')}`)])
    }),
  )
  const uuids = (await new SteadfoldSessionStore(sessions[0]).load(main))?.map(({ uuid }) => uuid ?? '') ?? []
  expect(uuids).toHaveLength(60)
  for (const name of names) {
    const own = uuids.filter((uuid) => uuid.startsWith(name))
    expect(own).toEqual(own.toSorted())
  }
})

test('S1: transcripts are listed by project, subkeys by session, and a deletion takes what is below', async () => {
  const { sessions } = await two()
  const store = new SteadfoldSessionStore(sessions[0])
  expect([await store.load(main), await store.listSessions('none'), await store.listSubkeys(main)]).toEqual([
    null,
    [],
    [],
  ])
  await store.append(main, [entry('a')])
  await store.append(sub, [entry('b')])
  await store.append({ ...sub, sessionId: 'only-sub' }, [entry('c')])
  const [listed, ...more] = await store.listSessions(main.projectKey)
  expect([listed?.sessionId, Number.isInteger(listed?.mtime), more]).toEqual(['0f1a', true, []])
  expect(await store.listSubkeys(main)).toEqual([sub.subpath])
  await store.delete(sub)
  expect([await store.load(sub), (await store.load(main))?.length]).toEqual([null, 1])
  await store.append(sub, [entry('b')])
  await store.delete(main)
  expect([await store.load(main), await store.load(sub), await store.listSubkeys(main)]).toEqual([null, null, []])
  await store.append(main, [entry('a')])
  expect(await store.load(main)).toEqual([entry('a')])
})

test('S1: what cannot be kept is refused, and the next call is not held up by it', async () => {
  const { sessions } = await two()
  const store = new SteadfoldSessionStore(sessions[0])
  const [wrong, right] = [
    store.append({ ...main, sessionId: '__proto__' }, [entry('a')]),
    store.append(main, [entry('b')]),
  ]
  await expect(wrong).rejects.toMatchObject({ code: 'KEY_FORBIDDEN' })
  await right
  await expect(store.load({ ...main, subpath: '' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test('A5: a transcript that speaks of secrets, or holds some, is read again', async () => {
  const { sessions } = await two()
  const store = new SteadfoldSessionStore(sessions[0])
  const asked = [{ message: { content: [{ type: 'text', text: 'Please enter your password:' }] }, type: 'assistant' }]
  const told = { password: 12_345_678, type: 'user' }
  const grep = `grep -r '-----BEGIN ${'PRIVATE'} KEY-----' .`
  for (const pad of ['', long('large')]) {
    const key = { ...main, sessionId: `s${pad.length}` }
    await store.append(key, [...asked, { type: 'user', pad }])
    await store.append(key, [{ ...told, pad }, entry('a', grep), { type: 'last' }])
    expect(await store.load(key)).toEqual([
      ...asked,
      { type: 'user', pad },
      { password: '[redacted:named-secret]', type: 'user', pad },
      entry('a', "grep -r '[redacted:private-key]' ."),
      { type: 'last' },
    ])
  }
  expect(sessions[0].get('$.session.redactions')).toEqual({ 'named-secret': 2, 'private-key': 2 })
})
