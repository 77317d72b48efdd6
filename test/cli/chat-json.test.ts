/* --json on every command of conversations: one object, with data or with an error that has a code. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitStatus, type ErrorCode } from '../../src/kernel/error.ts'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.run('session', 'create', 'main')
  place.file('events.ndjson', '')
})
afterAll(() => place.remove())

/** In this order; a line with `!` is refused. */
const LINES: readonly string[] = [
  'chat template bug A-bug --phase plan --text What? --agents agent:qa',
  'chat templates',
  'chat open --template bug --id bug',
  'chat open Login --id login --text build-it',
  'chat post login which? --as agent:planner',
  'chat post login grep --tool grep --call c1 --as agent:planner',
  'chat post login found --result c1 --as agent:planner',
  'chat title login Sign-in',
  'chat member login agent:planner agent planner',
  'chat phase login plan',
  'chat phase login plan carry-on',
  'chat phase login chat --rollback',
  '!TRANSITION_INVALID chat phase login chores',
  'chat route login planner --timeout-s 60 --partial accept',
  'chat complete login done --as agent:planner',
  'chat turns login',
  'chat narrative login',
  'chat unread login qa',
  'chat build login qa',
  'chat read login qa --window first-last --budget 500',
  'chat seen login planner',
  'chat remember login claude_session_id 7b0e --agent planner',
  'chat file login src/auth.ts --agent planner',
  'chat execution login start --agent planner',
  'chat execution login note --agent planner',
  'chat execution login stop --agent planner',
  'chat configure --advisory',
  'chat fork login --id login-again',
  'chat merge bug login',
  'chat archive login-again',
  '!LIFECYCLE_INVALID chat post login-again x',
  'chat list --all',
  'chat show bug',
  'chat hash login',
  'chat export login',
  'chat ingest events.ndjson',
  'chat quarantine',
  'chat exchange ws://127.0.0.1:1',
  'chat synced ws://127.0.0.1:1 --since 5',
  'chat key some.key',
  '!SIGNER_MISSING chat post login x --signed',
  '!STORE_UNAVAILABLE chat sync --relay ws://127.0.0.1:1',
  '!NOT_FOUND chat show nothing',
]

test.each(LINES)('%s', (line) => {
  const refused = /^!([A-Z_]+) /.exec(line)?.[1] as ErrorCode | undefined
  const words = line.replace(/^!\S+ /, '').split(' ')
  const { status, out, err } = place.run(...words, '--json')
  expect(status, `${out}\n${err}`).toBe(refused === undefined ? 0 : exitStatus(refused))
  const answer: unknown = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')
  if (refused !== undefined) expect(answer).toMatchObject({ error: { code: refused } })
  else expect(answer).toMatchObject({ schema: `steadfold/chat.${words[1]}/v1`, data: expect.anything() as unknown })
})

test('every command of conversations is tried', () => {
  const names = place
    .data<readonly { readonly name: string }[]>('help')
    .map(({ name }) => name)
    .filter((name) => name.startsWith('chat '))
  const tried = new Set(
    LINES.map((line) =>
      line
        .replace(/^!\S+ /, '')
        .split(' ')
        .slice(0, 2)
        .join(' '),
    ),
  )
  expect(names.filter((name) => !tried.has(name))).toEqual([])
})
