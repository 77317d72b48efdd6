/* Conversations as somebody types them: output, exit status, and what comes next. */
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { relaySigner } from '../../src/compose/operations.ts'
import { Relay } from '../relay/rig.ts'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
  expect(place.run('chat', 'open', 'Log in with a key', '--id', 'login', '--text', 'build it').status).toBe(0)
})
afterAll(() => place.remove())

/** Line, exit status, what it says. */
const LINES: readonly (readonly [line: string, status: number, said: RegExp])[] = [
  ['chat post login which-hash? --as agent:planner', 0, /login: which-hash\?/],
  ['chat post nothing x', 3, /no conversation "nothing"\nnext: steadfold chat list/],
  ['chat phase login chores', 4, /cannot go from chat to chores\nnext: allowed from chat: execute, plan, brainstorm/],
  ['chat phase login nowhere', 64, /nowhere/],
  ['chat phase login plan --why ready', 0, /phase plan/],
  ['chat phase login brainstorm --rollback', 4, /it has been in: chat/],
  ['chat route login', 64, /AGENTS/],
  ['chat route login coder qa --why work', 0, /login: work/],
  ['chat complete login done --as agent:coder', 0, /login: done/],
  ['chat turns login', 0, /open +plan +agent:coder, agent:qa +agent:qa/],
  ['chat narrative login', 0, /Turn 1 \(plan\) went to coder, qa: work/],
  ['chat member login x user --as agent:coder', 11, /--as human:NAME/],
  ['chat open again --id login', 4, /steadfold chat post login/],
  ['chat post login x --signed', 4, /steadfold chat key FILE/],
  ['chat merge login login', 4, /chat list/],
  ['chat sync', 64, /--relay URL/],
  ['chat sync --relay http://x', 64, /ws:\/\//],
  ['chat sync --live --relay ws://127.0.0.1:99999', 64, /--relay takes ws:\/\/… or wss:\/\/…, not/],
  ['chat sync --live --relay ws://127.0.0.1:1#x', 64, /--relay takes ws:\/\/… or wss:\/\/…, not/],
  ['chat sync --live --relay ws://me:hunter2@127.0.0.1:1', 64, /^error: --relay takes no password(?!.*hunter2)/s],
  ['chat sync --live --relay ws://127.0.0.1:1/?a=1&api_key=hunter2', 64, /--relay takes no api_key in(?!.*hunter2)/s],
  ['chat sync --relay ws://127.0.0.1:1?broadcast=true', 8, /is not there/],
  ['chat sync --relay ws://127.0.0.1:1', 8, /is not there: .*\nnext: try again later/],
  ['chat quarantine', 0, /none/],
]

test.each(LINES)('%s: exit %i', (line, status, said) => {
  const done = place.run(...line.split(' '))
  expect(done.status, done.out + done.err).toBe(status)
  expect(done.out + done.err).toMatch(said)
})

test('C2 chat show says what a message decides, also where it has no text', () => {
  const { out } = place.run('chat', 'show', 'login')
  expect(out).toMatch(/^\S+ .* ago {2}chat → plan: ready$/m)
  expect(out).toMatch(/^\S+ .* ago {2}turn of agent:coder, agent:qa\n {2}work$/m)
})

test('C4 chat read tells what is unread once; --peek leaves it unread', () => {
  const unread = () => place.data<{ readonly value: readonly unknown[] }>('chat', 'unread', 'login', 'qa').value.length
  const before = unread()
  expect(before).toBeGreaterThan(0)
  expect(place.run('chat', 'read', 'login', 'qa', '--peek').out).toContain('MESSAGES WHILE YOU WERE AWAY')
  expect(unread()).toBe(before)
  expect(place.run('chat', 'read', 'login', 'qa', '--budget', '2000').out).toContain('MESSAGES WHILE YOU WERE AWAY')
  expect(unread()).toBe(0)
  expect(place.run('chat', 'read', 'login', 'qa').out).not.toContain('MESSAGES WHILE YOU WERE AWAY')
})

test('C1 a key is made once, for nobody else to read, and is in no log', () => {
  const made = place.data<{ readonly pubkey: string }>('chat', 'key', 'my.key')
  expect(made.pubkey).toMatch(/^[0-9a-f]{64}$/)
  const file = join(place.dir, 'my.key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(place.run('chat', 'key', 'my.key').status).toBe(4)
  const env = { STEADFOLD_NOSTR_KEY: file }
  expect(place.runWith({ env }, 'chat', 'post', 'login', 'signed', '--signed').status).toBe(0)
  expect(place.run('chat', 'show', 'login').out).toMatch(/signed\n {2}signed/)
  expect(place.run('log', '--json').out).not.toContain(readFileSync(file, 'utf8').trim())
})

test('an empty STEADFOLD_NOSTR_KEY names no key', async () => {
  vi.stubEnv('STEADFOLD_NOSTR_KEY', '')
  expect(await relaySigner()).toBeUndefined()
  vi.unstubAllEnvs()
})

test('C5 a signed completion is refused for another than its key, for it would end no turn', () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  const env = { STEADFOLD_NOSTR_KEY: join(place.dir, 'my.key') }
  const chat = (...words: readonly string[]) => other.runWith({ env }, 'chat', ...words, '--signed')
  expect(chat('open', 'Auth').status).toBe(0)
  expect(chat('route', 'Auth', 'qa').status).toBe(0)
  const done = chat('complete', 'Auth', 'done', '--agent', 'qa')
  expect(done.status).toBe(4)
  expect(done.err).toMatch(
    /cannot be one of "agent:qa"\nnext: leave out --agent; steadfold chat route \S+ [0-9a-f]{64}/,
  )
  expect(other.run('chat', 'turns', 'Auth').out).toMatch(/^open +chat +agent:qa +agent:qa/m)
  other.remove()
})

test('C1 a key may go into a folder that is not there yet; where it cannot, the reason is told', () => {
  const made = place.run('chat', 'key', 'my keys/log in.key')
  const next = `export STEADFOLD_NOSTR_KEY='${join(place.dir, 'my keys/log in.key')}'`
  expect(made.out.split('\n')).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), next, ''])
  const env = { STEADFOLD_NOSTR_KEY: 'my keys/log in.key' }
  chmodSync(join(place.dir, env.STEADFOLD_NOSTR_KEY), 0o644)
  const told = place.runWith({ env }, 'chat', 'post', 'login', 'signed', '--signed')
  expect(told.err).toContain(`next: chmod 600 'my keys/log in.key', or`)
  expect(statSync(join(place.dir, 'my keys')).mode & 0o777).toBe(0o700)
  const failed = place.run('chat', 'key', 'my keys/log in.key/other')
  expect(failed).toMatchObject({ status: 8, err: expect.stringContaining('next: choose another file') as unknown })
})

test('C2 what one store exports another takes in, to the same hash; a second time it is known', () => {
  const events = place.run('chat', 'export', 'login').out
  const other = new Place()
  other.run('session', 'create', 'main')
  expect(other.runWith({ input: events }, 'chat', 'ingest', '-').status, 'nobody has signed them').toBe(10)
  expect(other.runWith({ input: events }, 'chat', 'ingest', '-', '--plain').out).toMatch(/events? received, 1 known/)
  expect(other.runWith({ input: events }, 'chat', 'ingest', '-', '--plain').out).toMatch(/^0 events received/)
  const hash = (at: Place) => at.data<{ readonly value: { readonly hash: string } }>('chat', 'hash', 'login').value.hash
  expect(hash(other)).toBe(hash(place))
  expect(other.runWith({ input: 'no json' }, 'chat', 'ingest', '-').status).toBe(4)
  other.remove()
})

test('C2 a file of any length is taken in under one key, and once', () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  const input = plainEvents(1100)
  const ingest = (...flags: readonly string[]) =>
    other.runWith({ input }, 'chat', 'ingest', '-', '--plain', '--key', 'k', ...flags).out
  expect(ingest('--if-seq', '1')).toMatch(/^1,100 events received, 0 known/)
  const messages = () => other.data<{ readonly value: readonly object[] }>('chat', 'list').value
  expect(messages()).toMatchObject([{ messages: 1100 }])
  expect(ingest()).toMatch(/^1,100 events received, 0 known/)
  expect(messages()).toMatchObject([{ messages: 1100 }])
  other.remove()
})

test('C2 events that are too large for one commit together are taken in by several', () => {
  const other = new Place()
  other.file('.steadfold/config.json', JSON.stringify({ commitBytes: 20_000 }))
  other.run('session', 'create', 'main')
  const done = other.runWith({ input: plainEvents(300) }, 'chat', 'ingest', '-', '--plain', '--key', 'k')
  expect(done.out).toMatch(/^300 events received, 0 known/)
  other.remove()
})

test('C1 a line that was cut is quarantined, and the others count; a file without any is refused', () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  const ingest = (input: string) => other.runWith({ input }, 'chat', 'ingest', '-', '--plain')
  const done = ingest(`\uFEFF${plainEvents(3).slice(0, -30)}`)
  expect(done.status).toBe(10)
  expect(done.out).toMatch(/^2 events received, 0 known .*, 1 quarantined\n.*malformed/)
  expect(other.run('chat', 'quarantine').out).toMatch(/malformed +file/)
  for (const input of ['no json', '[{"id":1},', '{\n']) expect(ingest(input).status, input).toBe(4)
  other.remove()
})

test('what is said unsigned where others sign is told to stay here; elsewhere, and signed, it goes without a word', () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  other.run('chat', 'key', 'my.key')
  const chat = (...words: readonly string[]) =>
    other.runWith({ env: { STEADFOLD_NOSTR_KEY: join(other.dir, 'my.key') } }, 'chat', ...words)
  expect(chat('open', 'Plain', '--id', 'plain').err).toBe('')
  expect(chat('open', 'Log in', '--signed').err).toBe('')
  expect(chat('post', 'Plain', 'hello').err).toBe('')
  expect(chat('post', 'Log in', 'hello', '--signed').err).toBe('')
  const stays = 'not signed: it stays here, and relays get none of it\nnext: --signed says it for relays, too\n'
  expect(chat('post', 'Log in', 'hello')).toMatchObject({ status: 0, err: stays })
  expect(chat('post', 'Log in', 'hello', '--json').err).toBe('')
  other.remove()
})

test('R1 chat sync streams what it did and ends with a result', async () => {
  const relay = await new Relay().start()
  const done = place.run('chat', 'sync', '--relay', relay.url, '--json')
  expect(done.status).toBe(0)
  const lines = done.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string })
  expect(lines.at(-1)).toMatchObject({ type: 'result', data: { relays: [{ published: 1, refused: 0 }] } })
  const both = place.run('chat', 'sync', '--relay', relay.url, '--relay', 'ws://127.0.0.1:1')
  expect([both.status, both.err]).toEqual([10, ''])
  const [told, gone, next, ...more] = both.out.trimEnd().split('\n')
  expect([told, ...more]).toEqual([`${relay.url}  0 received, 0 published`])
  expect(gone).toMatch(/^relay ws:\/\/127.0.0.1:1 is not there: /)
  expect(next).toMatch(/^next: try again later/)
  const neither = place.run('chat', 'sync', '--relay', 'ws://127.0.0.1:1', '--relay', 'ws://127.0.0.1:2')
  expect(neither.status).toBe(8)
  expect(neither.err).toMatch(
    /^relay ws:\/\/127.0.0.1:2 is not there: .*\nerror: relay ws:\/\/127.0.0.1:1 is not there/,
  )
  const none = place.run('chat', 'sync', '--relay', relay.url, '--join', '3f2a')
  expect(none.status).toBe(0)
  expect(none.err).toContain('nothing of conversation 3f2a was found: --join takes its whole id')
  await relay.kill()
})

test('C1 chat sync says once that something of a relay was quarantined, and goes on', async () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  other.run('chat', 'key', 'my.key')
  const env = { STEADFOLD_NOSTR_KEY: join(other.dir, 'my.key') }
  other.runWith({ env }, 'chat', 'open', 'Log in', '--signed')
  const relay = await new Relay().start()
  const sync = () => other.runWith({ env }, 'chat', 'sync', '--relay', relay.url)
  expect(sync()).toMatchObject({ status: 0, err: '' })
  await relay.kill()
  const root = JSON.parse(readFileSync(relay.file, 'utf8')) as { readonly id: string }
  const forged = { ...root, id: 'f'.repeat(64), kind: 1111, tags: [['E', root.id]], content: 'pay me' }
  appendFileSync(relay.file, `${JSON.stringify(forged)}\n`)
  await relay.start()
  expect(sync()).toMatchObject({ status: 0, err: '1 event quarantined: steadfold chat quarantine says why\n' })
  expect(sync()).toMatchObject({ status: 0, err: '' })
  await relay.kill()
  other.remove()
})

/** A line for each, in a conversation of their own. */
function plainEvents(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => {
    const [pubkey, created_at, kind, tags, content] = ['agent:x', 1_700_000_000 + n, 1, [['d', 'bulk']], `message ${n}`]
    const text = JSON.stringify([0, pubkey, created_at, kind, tags, content])
    const id = createHash('sha256').update(text).digest('hex')
    return `${JSON.stringify({ id, pubkey, created_at, kind, tags, content, sig: null })}\n`
  })
  return lines.join('')
}
