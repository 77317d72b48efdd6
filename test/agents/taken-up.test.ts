/* Sessions of agent CLIs that several runs worked on, and what each of them used. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Place } from '../cli/binary.ts'

const HERE = import.meta.dirname
const THREAD = '0199a213-81c0-7800-8aa1-bbab2a035a53'

let place: Place
beforeEach(() => {
  place = new Place()
  fs.mkdirSync(path.join(place.dir, 'bin'))
  for (const agent of ['claude', 'codex', 'gemini', 'opencode'])
    fs.symlinkSync(path.join(HERE, 'fake-agent.sh'), path.join(place.dir, 'bin', agent))
  expect(place.run('session', 'create', 'one').status).toBe(0)
})
afterEach(() => place.remove())

interface Row {
  readonly run: string
  readonly cli_session: string
  readonly tokens: number
  readonly tools: number
}

const rows = () => place.data<{ value: readonly Row[] }>('activity', 'list').value

/** Its stream, with another number in it. */
function runAgent(agent: string, words: readonly string[], [from, to]: readonly [string, string] = ['', '']) {
  const text = fs.readFileSync(path.join(HERE, 'streams', `${agent}-finished.jsonl`), 'utf8').replace(from, to)
  const env = {
    PATH: `${path.join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}`,
    FAKE_SEEN: path.join(place.dir, 'seen.txt'),
    FAKE_STREAM: place.file('stream.jsonl', text),
  }
  const { status, err } = place.runWith({ env }, 'run', '--agent', agent, '--', ...words)
  expect(status, err).toBe(0)
}

test.each([
  ['codex', ['exec', 'go'], (id: string) => ['exec', 'resume', id, 'go'], 24_885],
  ['gemini', ['-p', 'go'], (id: string) => ['-p', 'go', '--resume', id], 10_400],
  ['opencode', ['run', 'go'], (id: string) => ['run', 'go', '--session', id], 6660],
])('A4 a run of %s is taken up again by the id that its CLI told', (agent, first, again, tokens) => {
  runAgent(agent, first)
  const [{ run, cli_session, tools } = { run: '', cli_session: '', tools: 0 }] = rows()
  expect(cli_session).not.toBe(run)
  runAgent(agent, again(cli_session))
  expect(rows()).toMatchObject([{ run, cli_session, tokens, tools: 2 * tools }])
  expect(rows()).toHaveLength(1)
})

test('A4 what Codex used in a session before counts once, where it finds the session by itself', () => {
  runAgent('codex', ['exec', 'go'])
  runAgent('codex', ['exec', 'resume', '--last', 'go'], ['24763', '44763'])
  runAgent('codex', ['exec', 'resume', '--last', 'go'], ['24763', '54763'])
  expect(rows().map(({ cli_session, tokens }) => [cli_session, tokens])).toEqual([
    [THREAD, 10_000],
    [THREAD, 20_000],
    [THREAD, 24_885],
  ])
})

test('A4 of several runs of a session the one that bears its name is taken up again: hooks tell of that', () => {
  const id = '11111111-2222-4333-8444-555555555555'
  for (const how of [['--resume', id], ['--continue'], ['--resume', id]]) runAgent('claude', ['-p', 'go', ...how])
  expect(rows().map(({ cli_session }) => cli_session)).toEqual([id, id])
  expect(rows().find(({ run }) => run === id)).toMatchObject({ tokens: 840 })
})
