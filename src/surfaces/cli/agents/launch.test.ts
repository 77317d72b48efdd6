import { describe, expect, test } from 'vitest'
import { launchOf } from './launch.ts'

const ID = '11111111-2222-4333-8444-555555555555'

describe('Claude Code', () => {
  test('a new session gets the id of its run', () => {
    const { argv, run, assigned } = launchOf('claude', ['-p', 'go'])
    expect(argv).toEqual(expect.arrayContaining(['--session-id', run]))
    expect(assigned).toBe(true)
  })

  test.each([[['--continue']], [['-c', '-p', 'go']], [['--resume']], [['-r', '--model', 'opus']]])(
    'none is handed over with %j: it chooses the session, and refuses an id',
    (words) => {
      const { argv, assigned } = launchOf('claude', words)
      expect(argv).not.toContain('--session-id')
      expect(assigned).toBe(false)
    },
  )

  test('one that goes on with a session keeps its id, but not where it forks it', () => {
    expect(launchOf('claude', ['--resume', ID])).toMatchObject({ run: ID, assigned: true })
    const forked = launchOf('claude', ['--resume', ID, '--fork-session'])
    expect(forked.assigned).toBe(false)
    expect(forked.run).not.toBe(ID)
  })
})

test('opencode is asked for its stream where it needs no terminal, and keeps the id of a session it goes on with', () => {
  expect(launchOf('opencode', ['run', 'go'])).toMatchObject({
    argv: ['opencode', 'run', '--format', 'json', 'go'],
    assigned: false,
    headless: true,
  })
  expect(launchOf('opencode', ['opencode', '-s', 'ses_1'])).toMatchObject({
    argv: ['opencode', '-s', 'ses_1'],
    run: 'ses_1',
    assigned: true,
    headless: false,
  })
  expect(launchOf('opencode', ['run', '--session', 'ses_1', '--fork', 'go']).assigned).toBe(false)
})

test('Gemini CLI goes on with its latest session where none is named', () => {
  expect(launchOf('gemini', ['--resume', '-p', 'go'])).toMatchObject({ assigned: false, headless: true })
})

test.each([
  [['exec', 'resume', '--last', 'go on']],
  [['resume', '--last']],
  [['resume']],
  [['exec', 'resume', '--json', ID, 'go on']],
])('Codex with %j goes on with a session that its words do not begin with: it tells which', (words) => {
  const { argv, run, assigned } = launchOf('codex', words)
  expect(assigned).toBe(false)
  expect(run).toMatch(/^[0-9a-f-]{36}$/)
  expect(run).not.toBe(ID)
  expect(argv.at(-1)).toBe(words.at(-1))
})

test('Codex keeps the id of a session it goes on with', () => {
  expect(launchOf('codex', ['exec', 'resume', ID, 'go on'])).toMatchObject({ run: ID, assigned: true, headless: true })
  expect(launchOf('codex', ['resume', ID])).toMatchObject({ run: ID, assigned: true, headless: false })
})
