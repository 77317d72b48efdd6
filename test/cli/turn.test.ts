import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeEach(() => {
  place = new Place()
  expect(place.run('session', 'create', 'one').status).toBe(0)
  expect(place.run('channel', 'create', 'room', '--timeout-ms', '60000').status).toBe(0)
  for (const agent of ['pm', 'dev']) expect(place.run('turn', 'join', 'room', agent).status).toBe(0)
})
afterEach(() => place.remove())

const say = (agent: string, text: string, ...more: readonly string[]) =>
  place.run('turn', 'say', 'room', text, '--as', agent, ...more)

/** All that a process writes, and its status. */
async function ended(child: ReturnType<Place['start']>) {
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  return { status, out }
}

test('wait --turn prints channel and token, and comes back when the turn does', async () => {
  const waiting = ended(place.start('wait', '--turn', 'dev', '--timeout', '20s'))
  expect(place.run('turn', 'start', 'room').status).toBe(0)
  const [, token = ''] = place.run('wait', '--turn', 'pm').out.trim().split(' ')
  expect(say('agent:pm', 'a plan TURN_COMPLETE', '--token', token).status).toBe(0)
  const { status, out } = await waiting
  expect([status, out]).toEqual([0, expect.stringMatching(/^room \d+\n$/)])
})

test('wait --turn puts on record that time took a turn, though nobody speaks', () => {
  expect(place.run('turn', 'join', 'room', 'pm', '--timeout-ms', '200').status).toBe(0)
  expect(place.run('turn', 'start', 'room').status).toBe(0)
  expect(place.run('wait', '--turn', 'dev', '--timeout', '20s')).toMatchObject({ status: 0 })
  expect(place.run('turn', 'history', 'room').out).toMatch(/turn_timeout {2}pm/)
  expect(say('agent:pm', 'sorry TURN_COMPLETE').out).toContain('posted, late')
  expect(place.run('turn', 'list').out).toMatch(/dev has the turn/)
})

test('exit codes say what to do: 3 not there, 4 not so, 6 not yours, 7 too long, 11 for a person, 64 usage', () => {
  expect(place.run('turn', 'join', 'nowhere', 'pm').status).toBe(3)
  expect(place.run('wait', '--turn', 'nobody').status).toBe(3)
  expect(place.run('turn', 'skip', 'room').status).toBe(4)
  expect(place.run('turn', 'start', 'room').status).toBe(0)
  const other = say('agent:dev', 'me')
  expect([other.status, other.err]).toEqual([6, expect.stringContaining('pm has it for')])
  expect(say('agent:pm', 'me', '--token', '1').status).toBe(6)
  expect(place.run('wait', '--turn', 'dev', '--timeout', '100ms').status).toBe(7)
  for (let i = 0; i < 3; i++) say('agent:pm', 'the same')
  const stopped = say('agent:pm', 'something else')
  expect([stopped.status, stopped.err]).toEqual([11, expect.stringContaining('steadfold turn resume room')])
  expect(place.run('wait', '--turn', 'pm', '--seq', '4').status).toBe(64)
  expect(place.run('wait', '--seq', '4', '--channel', 'room').status).toBe(64)
})

test('a message comes from stdin; what it holds cannot steer a terminal', () => {
  expect(place.run('turn', 'start', 'room').status).toBe(0)
  const input = 'line 1\n\u001b[2Jline 2\n\nTURN_COMPLETE\n'
  expect(place.runWith({ input }, 'turn', 'say', 'room', '-', '--as', 'agent:pm').status).toBe(0)
  expect(place.run('turn', 'messages', 'room').out).toBe('0  agent:pm: line 1\\n\\e[2Jline 2\n')
})

test('turn watch writes plain lines where there is no terminal, until it is told to stop', async () => {
  const child = place.start('turn', 'watch')
  const done = ended(child)
  await once(child.stdout, 'data')
  expect(place.run('turn', 'start', 'room').status).toBe(0)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const { status, out } = await done
  expect(status).toBe(143)
  const [first, second] = out.split('\n')
  expect(first).toMatch(/^\S+Z {2}room {2}nobody has the turn$/)
  expect(second).toMatch(/^\S+Z {2}room {2}pm has the turn, (?:1m 00|\d\d)s left; next dev$/)
  expect(out).not.toContain('\u001b')
})

test.each([[['--once']], [[]]])('turn watch of a channel that is not there says so and ends: %j', (flags) => {
  const { status, out, err } = place.run('turn', 'watch', 'rom', ...flags)
  expect({ status, out }).toEqual({ status: 3, out: '' })
  expect(err).toContain('there is no channel "rom"; there are: room')
})

test.each([
  ['turn', 'list', 'rom'],
  ['turn', 'history', 'rom'],
  ['turn', 'messages', 'rom'],
  ['wait', '--turn', 'pm', '--channel', 'rom', '--timeout', '1s'],
])('%s %s says which channels there are when there is none of that name', (...line) => {
  const { status, out, err } = place.run(...line)
  expect({ status, out }).toEqual({ status: 3, out: '' })
  expect(err).toContain('there is no channel "rom"; there are: room')
})

test('turn list shows the channel and the agent that are asked for alone', () => {
  const other = new Place()
  other.run('session', 'create', 'main')
  for (const channel of ['room', 'hall']) other.run('channel', 'create', channel)
  expect(other.run('turn', 'list', 'hall').out).toBe('hall  nobody has the turn\n')
  expect(other.run('turn', 'list', '--agent', 'pm').out).toBe('nobody sits there\n')
  other.run('turn', 'join', 'room', 'pm')
  expect(other.run('turn', 'list', '--agent', 'dev').out).toBe('nobody sits there\n')
  other.remove()
})

test('turn history of a channel that was removed is what happened in it', () => {
  expect(place.run('channel', 'remove', 'room').status).toBe(0)
  expect(place.run('turn', 'history', 'room').out).toMatch(/agent_registered.*\n.*\n.*agent_removed/)
  expect(place.run('turn', 'list', 'room').status).toBe(3)
})

test('turn watch --once ends at once, and its JSON is one object', () => {
  expect(place.run('turn', 'watch', '--once').out).toMatch(
    /^room {2}nobody has the turn\n {2}1 +pm +IDLE\n {2}2 +dev +IDLE\n$/,
  )
  expect(place.data('turn', 'watch', '--once')).toMatchObject({ channels: [{ channel: 'room' }], seats: [{}, {}] })
})

test('turn import refuses what is no such file and leaves it alone', () => {
  const bad = place.file('state.json', '{"version":"1.0"')
  expect(place.run('turn', 'import', bad).status).toBe(4)
  const lacking = place.run('turn', 'import', place.file('lacking.json', '{"version":"1.0","agents":{},"channels":{}}'))
  expect([lacking.status, lacking.err]).toEqual([4, expect.stringContaining('history')])
  expect(place.run('turn', 'import', 'absent.json').status).toBe(3)
  const out = place.run('turn', 'export').out
  expect(place.run('session', 'create', 'two').status).toBe(0)
  const again = place.run('turn', 'import', place.file('out.json', out), '--session', 'two')
  expect(again.out).toContain('channels room; 2 of history; 0 recovered')
})
