import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeWorkspace, memoryKernel } from '../../compose.ts'
import type { Session } from '../../kernel/session.ts'
import { exported, isDenied } from './views.ts'

const begin = async (): Promise<Session> =>
  makeWorkspace(memoryKernel({ checkpoints: false })).createSession({ name: 'test' })
const value = async (session: Session, name: string, input: object = {}) => {
  const answer = await session.run(name, input)
  return answer.kind === 'accepted' ? answer.value : answer
}

test('O1 a value is kept byte for byte; the same value again adds nothing', async () => {
  const session = await begin()
  const text = ' two\nlines \r\n$(rm -rf /) \u{1F600}\t'
  await session.run('output.set', { name: 'a.b-c', value: text })
  expect(await value(session, 'output.get', { name: 'a.b-c' })).toBe(text)
  const before = session.seq
  await session.run('output.set', { name: 'a.b-c', value: text })
  expect(session.seq).toBe(before)
})

test('reads of what is not there say so', async () => {
  const session = await begin()
  await expect(session.run('output.get', { name: 'toString' })).rejects.toMatchObject({ code: 'OUTPUT_NOT_FOUND' })
  expect(await value(session, 'output.list')).toEqual([])
})

test.each(['', '1a', 'a b', 'a=b', '__proto__', 'constructor', 'a\n', 'a'.repeat(300)])(
  '%j is no name',
  async (name) => {
    expect(await (await begin()).run('output.set', { name, value: 'x' })).toMatchObject({ code: 'OUTPUT_INVALID' })
  },
)

describe('import', () => {
  test('takes the grammar of $GITHUB_OUTPUT, under a prefix', async () => {
    const session = await begin()
    await session.run('output.import', { text: 'a=1\nb<<END\ntwo\nlines\nEND\n', prefix: 'plan.' })
    expect(await value(session, 'output.list')).toEqual([
      { name: 'plan.a', value: '1' },
      { name: 'plan.b', value: 'two\nlines' },
    ])
  })

  test('O2 is whole or nothing', async () => {
    const session = await begin()
    expect(await session.run('output.import', { text: 'a=1\nnonsense\n' })).toMatchObject({ code: 'OUTPUT_INVALID' })
    expect(await value(session, 'output.list')).toEqual([])
  })

  test('O3 of a stale attempt is refused', async () => {
    const session = await begin()
    const key = '1'.repeat(64)
    const started = await session.run('step.start', { key, name: 's', command: 'x' })
    const token = started.kind === 'accepted' ? started.seq : 0
    expect(await session.run('output.import', { values: { a: '1' }, step: { key, token: token + 1 } })).toMatchObject({
      code: 'LEASE_LOST',
    })
    expect(await session.run('output.import', { values: { a: '1' }, step: { key, token } })).toMatchObject({
      kind: 'accepted',
    })
  })
})

describe('O4 export', () => {
  test.each([
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'NODE_OPTIONS',
    'BASH_ENV',
    'ENV',
    'IFS',
    'PS4',
    'PROMPT_COMMAND',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONPATH',
    'GIT_SSH_COMMAND',
    'BASH_FUNC_x',
  ])('never sets %s', (name) => {
    expect(isDenied(name)).toBe(true)
    expect(exported([[name, 'x']], 'sh')).toEqual({
      text: '',
      skipped: [{ name, reason: 'it would change how programs run' }],
    })
  })

  test('says which of two names that become one variable was left out', () => {
    expect(
      exported(
        [
          ['a.b', '1'],
          ['a_b', '2'],
        ],
        'sh',
      ),
    ).toEqual({ text: "export a_b='1'\n", skipped: [{ name: 'a_b', reason: 'another output is exported as a_b' }] })
  })

  test('any value comes through a shell as it was', () => {
    const samples = fc.sample(
      fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      40,
    )
    const { text } = exported(
      samples.map((each, at) => [`v${at}`, each] as const),
      'sh',
    )
    const script = `${text}\n${samples.map((_, at) => `printf '%s\\0' "$v${at}"`).join('\n')}`
    expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(samples)
  })
})
