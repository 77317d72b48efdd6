/* What scripts and other programs call: a command that is here today is here tomorrow. */
import { expect, test } from 'vitest'
import { Place } from './binary.ts'

const ALONE =
  'init doctor demo import completion schema version status inbox run recover log tail diff show blame watch ui wait verify repair ' +
  'gc stats once hook install uninstall prime statusline shell mcp serve sql health'

const NOUNS = {
  session: 'create list show exists rename fork restore suspend resume end archive mark',
  state: 'get set delete patch query test history',
  output: 'set get list import export',
  workflow: 'define list show next transition resume-check validate graph detect-scope',
  step: 'list show retry park release',
  agent: 'register list show heartbeat stop',
  pool: 'set list',
  task: 'add list show ready claim start done fail cancel retry block unblock why graph',
  epic: 'list show',
  sprint: 'list show',
  message: 'send receive ack list',
  handoff: 'create accept reject complete list',
  lock: 'acquire release renew list break with',
  supervise: 'start report show meter',
  turn: 'join leave list start end take skip extend pause resume say',
  chat: 'open post read unread route complete phase narrative merge fork',
  bundle: 'pack unpack inspect verify',
  teleport: 'send receive cancel',
  key: 'create list',
} as const

test('every command that others call is there', () => {
  const place = new Place({ init: false })
  const there = new Set(place.data<readonly { readonly name: string }[]>('help').map(({ name }) => name))
  place.remove()
  const called = [
    ...ALONE.split(' '),
    ...Object.entries(NOUNS).flatMap(([noun, verbs]) => verbs.split(' ').map((verb) => `${noun} ${verb}`)),
  ]
  expect(called.filter((name) => !there.has(name))).toEqual([])
})
