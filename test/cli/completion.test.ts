/* What TAB comes to in a real bash: nothing typed and no name is run, and what is offered is read back as it is. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Draft } from '../../src/kernel/log/commit.ts'
import { lineOf } from '../conformance/kit.ts'
import { Place, plainEnv, PROGRAM } from './binary.ts'

const NAMES = ['$(touch ran)', '`touch ran`', 'my session', `it's "a" $HOME !`, 'a:b=c', '~', '*', 'plain'] as const

let place: Place
beforeAll(() => {
  place = new Place()
  for (const name of NAMES) place.data('session', 'create', name)
  rename(place.data<{ readonly session: { readonly id: string } }>('session', 'create', 'tab').session.id, 'tab\there')
  fs.mkdirSync(path.join(place.dir, 'bin'))
  fs.writeFileSync(
    path.join(place.dir, 'bin', 'steadfold'),
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
    { mode: 0o755 },
  )
  place.file('completion.bash', `${place.run('completion', 'bash').out}`)
})
afterAll(() => place.remove())

/** As a log of others may say it: here nobody may call a session so. */
function rename(id: string, name: string): void {
  const log = path.join(place.dir, '.steadfold', 'sessions', id, 'log', '00000000000000000001.jsonl')
  const { v: _, prev, hash: __, ...draft } = JSON.parse(fs.readFileSync(log, 'utf8')) as Draft & Record<string, string>
  const events = draft.events.map(({ type, data }) => ({ type, data: { ...(data as object), name } }))
  fs.writeFileSync(log, lineOf({ ...draft, events }, prev ?? '').line)
  expect(place.data<readonly { readonly name: string }[]>('session', 'list').map((each) => each.name)).toContain(name)
}

function bash(script: string, ...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...args], {
    cwd: place.dir,
    env: plainEnv({ PATH: `${path.join(place.dir, 'bin')}:${process.env['PATH'] ?? ''}` }),
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { out: stdout, err: stderr, status }
}

/** What is offered for a line whose words bash has taken apart; the last is the one being typed. */
function offered(words: readonly string[], line = ''): readonly string[] {
  const script =
    '. ./completion.bash; COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=${#COMP_LINE}; ' +
    '"$(complete -p steadfold | sed "s/.*-F \\([^ ]*\\) .*/\\1/")" steadfold "${!#}" x; ' +
    'for each in "${COMPREPLY[@]}"; do printf "%s\\n" "$each"; done'
  const { out, err } = bash(script, line, 'steadfold', ...words)
  expect(err).toBe('')
  return out.split('\n').slice(0, -1)
}

const readBack = (words: readonly string[]): readonly string[] =>
  bash(`printf '%s\\n' ${words.join(' ')}`)
    .out.split('\n')
    .slice(0, -1)

test('names of sessions are not run, and are read back as they are', () => {
  const words = offered(['session', 'show', ''])
  expect(fs.existsSync(path.join(place.dir, 'ran'))).toBe(false)
  expect(readBack(words).toSorted()).toEqual([...NAMES].toSorted())
  expect(fs.existsSync(path.join(place.dir, 'ran'))).toBe(false)
})

test.each([
  ['in single quotes', "'", "'"],
  ['in double quotes', '"', '"'],
])('%s what is offered is quoted for them', (_, open, close) => {
  const words = offered(['session', 'show', open]).map((word) => `${open}${word}${close}`)
  expect(readBack(words).toSorted()).toEqual([...NAMES].toSorted())
  expect(fs.existsSync(path.join(place.dir, 'ran'))).toBe(false)
})

test('the line being typed is not run', () => {
  offered(['state', 'set', 'data.x', '"$(touch ran)"', ''])
  offered(['state', 'set', 'data.x', '`touch', 'ran`', '--as', ''])
  offered(['state', 'set', '$(touch ran)'])
  expect(fs.existsSync(path.join(place.dir, 'ran'))).toBe(false)
})

test('a redirection is not carried out', () => {
  const kept = place.file('keep.txt', 'mine')
  expect(offered(['log', '>', 'keep.txt', '--js'])).toEqual(['--json'])
  expect(fs.readFileSync(kept, 'utf8')).toBe('mine')
})

test.each<[string, readonly string[], readonly string[]]>([
  ['steadfold session sho', ['session', 'sho'], ['show']],
  ['steadfold --json session sho', ['--json', 'session', 'sho'], ['show']],
  ['steadfold log --session my', ['log', '--session', 'my'], ['my\\ session']],
  ['steadfold log --session my\\ s', ['log', '--session', 'my\\ s'], ['my\\ session']],
  ['steadfold log --session=my', ['log', '--session', '=', 'my'], ['my\\ session']],
  ['steadfold log --session=a:b', ['log', '--session', '=', 'a', ':', 'b'], ['b=c']],
  ['steadfold session show a:', ['session', 'show', 'a', ':'], ['b=c']],
  ['steadfold session show a:b=', ['session', 'show', 'a', ':', 'b', '='], ['c']],
  ['steadfold log --color=', ['log', '--color', '='], ['auto', 'always', 'never']],
  ['steadfold session show nothing-such', ['session', 'show', 'nothing-such'], []],
])('%s', (line, words, expected) => expect(offered(words, line)).toEqual(expected))

test('it can be sourced twice, and needs nothing that bash does not have', () => {
  const { status, out, err } = bash('. ./completion.bash; . ./completion.bash; complete -p steadfold')
  expect({ status, err }).toEqual({ status: 0, err: '' })
  expect(out).toContain('-F')
})

test('no script evaluates what it was given', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const program = place.run('completion', shell).out.replaceAll(/^\s*#.*$/gm, '')
    expect(program).not.toMatch(/\beval\b|compgen/)
  }
})
