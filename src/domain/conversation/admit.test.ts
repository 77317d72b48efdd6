import { finalizeEvent, generateSecretKey, verifyEvent } from 'nostr-tools/pure'
import { describe, expect, test } from 'vitest'
import { openChat, publicKey, signed, START_S } from '../../../test/conformance/chat.ts'
import { verify } from '../../drivers/nostr/verify.ts'
import { MOST_CHARACTERS } from './admit.ts'
import type { ChatEvent } from './events.ts'

const tags = [['d', 'login']]
const good = signed(1, 'hello', { tags })

interface Ingested {
  readonly received: number
  readonly held: number
  readonly quarantined: readonly { readonly reason: string; readonly id: string }[]
}

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
const turnedOver = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

const BAD: Readonly<Record<string, readonly [event: unknown, reason: string]>> = {
  'other content': [{ ...good, content: 'bye' }, 'id'],
  'another author': [{ ...good, pubkey: publicKey(2) }, 'id'],
  'another time': [{ ...good, created_at: good.created_at + 1 }, 'id'],
  'other tags': [{ ...good, tags: [...tags, ['phase', 'plan']] }, 'id'],
  'a signature with a wrong digit': [{ ...good, sig: turnedOver(good.sig ?? '') }, 'signature'],
  'the signature of something else': [{ ...good, sig: signed(1, 'bye', { tags }).sig }, 'signature'],
  'the signature of somebody else': [{ ...good, sig: signed(2, 'hello', { tags }).sig }, 'signature'],
  'no signature': [{ ...good, sig: null }, 'unsigned'],
  'a signature that is none': [{ ...good, sig: 'abc' }, 'malformed'],
  'an id that is none': [{ ...good, id: 'ABC' }, 'malformed'],
  'a time that is none': [{ ...good, created_at: 1.5 }, 'malformed'],
  'a kind that is none': [{ ...good, kind: 70_000 }, 'malformed'],
  'tags that are none': [{ ...good, tags: [[1]] }, 'malformed'],
  'half a character': [{ ...good, content: '\ud800' }, 'malformed'],
  'a text': ['hello', 'malformed'],
  'a list in lists without end': [{ ...good, tags: nested(100_000) }, 'malformed'],
  nothing: [null, 'malformed'],
  'too long a text': [signed(1, 'x'.repeat(MOST_CHARACTERS), { tags }), 'too large'],
  'a conversation that no key may have': [signed(1, 'hello', { tags: [['d', '__proto__']] }), 'conversation'],
  'a conversation without a name': [signed(1, 'hello', { tags: [['d', '']] }), 'conversation'],
}

describe('C1 nothing counts that is not what it says', () => {
  test.each(Object.entries(BAD))('%s', async (_name, [event, reason]) => {
    const { run, session } = await openChat()
    const answer = (await run('ingest', { events: [event], plain: true })) as Ingested
    expect(answer).toMatchObject({ received: 0, quarantined: [{ reason }] })
    expect(session.get('$.conversation.threads')).toEqual({})
    const seq = session.seq
    await run('ingest', { events: [event], plain: true })
    expect(session.seq).toBe(seq)
  })
})

test('C1 a good event among bad ones counts, once', async () => {
  const { run } = await openChat()
  const events = [...Object.values(BAD).map(([event]) => event), good, { ...good }, good]
  expect(await run('ingest', { events })).toMatchObject({ received: 1, conversations: ['login'] })
})

test('C2 what is known is not looked at again, and is no fault', async () => {
  const { run, session } = await openChat()
  await run('ingest', { events: [good] })
  const { seq } = session
  expect(await run('ingest', { events: [good, { ...good }] })).toMatchObject({ received: 0, quarantined: [] })
  expect([session.seq, await run('quarantine', {})]).toEqual([seq, []])
})

test('C1 what a caller says about signatures is not believed', async () => {
  const { run } = await openChat()
  const event = { ...good, sig: turnedOver(good.sig ?? '') }
  const verified = [`${event.id} ${event.sig}`]
  expect(await run('ingest', { events: [event], verified })).toMatchObject({ received: 0 })
  expect(await run('post', { conversation: 'login', text: 'x' }).catch(String)).toContain('NOT_FOUND')
  await run('open', { title: 'x', id: 'x' })
  await run('post', { conversation: 'x', text: 'mine', event: signed(2, 'not mine', { tags: [['d', 'x']] }) })
  expect(JSON.stringify(await run('export', { conversation: 'x' }))).not.toContain('not mine')
})

test('C1 an answer that a library has left on an event is not believed', async () => {
  const event = finalizeEvent({ kind: 1, created_at: START_S, tags: [], content: 'hello' }, generateSecretKey())
  expect(verifyEvent(event)).toBe(true)
  const forged = { ...event, content: 'bye' }
  expect(verifyEvent(forged), 'the trap is there').toBe(true)
  expect(await verify([forged as ChatEvent, event as ChatEvent])).toEqual([false, true])
})

test('C1 large texts are verified, too', async () => {
  const events = [1, 1000, 60_000, 120_000].map((size) => signed(1, 'é'.repeat(size)))
  expect(await verify(events)).toEqual([true, true, true, true])
})

test('C1 a secret is in no log: plain messages lose it, signed ones are quarantined', async () => {
  const { run, session } = await openChat()
  const secret = `npm_${'a1B2c3D4e5F6'.repeat(3)}`
  await run('ingest', { events: [good] })
  await run('post', { conversation: 'login', text: `the token is ${secret}` })
  expect(await run('ingest', { events: [signed(1, `use ${secret}`, { tags })] })).toMatchObject({
    received: 0,
    quarantined: [{ reason: 'secret' }],
  })
  const lines = []
  for await (const commit of session.commits()) lines.push(JSON.stringify(commit))
  expect(lines.join()).not.toContain(secret)
  const events = await run('export', { conversation: 'login' })
  const other = await openChat()
  expect(await other.run('ingest', { events, plain: true })).toMatchObject({ received: 2, quarantined: [] })
})

test('C2 what comes too early waits, and counts when its time has come', async () => {
  const { run, host, session } = await openChat()
  const early = signed(1, 'from tomorrow', { at: 86_400, tags })
  expect(await run('ingest', { events: [early, good] })).toMatchObject({ received: 1, held: 1, quarantined: [] })
  expect(await run('quarantine', {})).toMatchObject([{ id: early.id, reason: 'too early' }])
  expect(await run('ingest', { events: [early] })).toMatchObject({ received: 0, held: 0 })
  host.advance(86_400_000)
  await run('post', { conversation: 'login', text: 'now' })
  expect(await run('quarantine', {})).toEqual([])
  expect(session.get(`$.conversation.places['${early.id}']`)).toBe('login')
})

test('C1 kinds that do not count are ignored; both generations count', async () => {
  const { run } = await openChat()
  const root = signed(1, 'root', { kind: 1 })
  const events = [
    root,
    signed(2, 'old answer', { kind: 1, tags: [['e', root.id, '', 'root']] }),
    signed(2, 'older answer', { kind: 1, tags: [['e', root.id]] }),
    signed(2, 'new answer', {
      tags: [
        ['E', root.id],
        ['e', root.id],
      ],
    }),
    signed(2, '', {
      kind: 513,
      tags: [
        ['e', root.id],
        ['title', 'Named later'],
      ],
    }),
    signed(2, 'typing', { kind: 24_111, tags: [['e', root.id]] }),
  ]
  expect(await run('ingest', { events })).toMatchObject({ received: 5, conversations: [root.id] })
  expect(await run('show', { conversation: root.id.slice(0, 8) })).toMatchObject({
    title: 'Untitled Conversation',
    messages: 5,
  })
  await run('ingest', {
    events: [
      signed(1, '', {
        kind: 513,
        at: 1,
        tags: [
          ['e', root.id],
          ['title', 'Login'],
        ],
      }),
    ],
  })
  expect(await run('show', { conversation: root.id })).toMatchObject({ title: 'Login' })
  await run('configure', { kinds: [1] })
  expect(await run('ingest', { events: [signed(1, 'later', { tags: [['E', root.id]] })] })).toMatchObject({
    received: 0,
  })
})

test('C1 the tags of a message are read as what they say', async () => {
  const { run } = await openChat()
  const said = [
    ...tags,
    ['phase', 'plan'],
    ['e', good.id, '', 'reply'],
    ['p', publicKey(2)],
    ['tool', 'grep', 'c1'],
    ['voice'],
  ]
  await run('ingest', { events: [good, signed(1, 'x', { at: 1, tags: said })] })
  const { shown } = (await run('show', { conversation: 'login' })) as { readonly shown: readonly unknown[] }
  expect(shown[1]).toMatchObject({
    conversation: 'login',
    phase: 'plan',
    reply_to: good.id,
    mentions: [publicKey(2)],
    tool: 'grep',
    completion: null,
    voice: true,
    signed: true,
  })
})

test('C1 what was unsigned and counts by now is quarantined no more', async () => {
  const { run } = await openChat()
  await run('open', { title: 'x', id: 'x', text: 'hello' })
  const events = await run('export', { conversation: 'x' })
  const other = await openChat()
  const reasons = async () =>
    ((await other.run('quarantine', {})) as readonly { readonly reason: string }[]).map(({ reason }) => reason)
  await other.run('ingest', {
    events: [
      { ...good, sig: null },
      { ...good, content: 'bye' },
    ],
  })
  await other.run('ingest', { events })
  expect(await reasons()).toEqual(['unsigned', 'id', 'unsigned'])
  await other.run('ingest', { events: [good] })
  await other.run('ingest', { events, plain: true })
  expect(await reasons()).toEqual(['id'])
})
