import { describe, expect, test } from 'vitest'
import { EngineError } from '../../../kernel/error.ts'
import { isAutomated, makePaint, wantsColour } from '../show/paint.ts'
import { givenText, givenValue, toValue } from './value.ts'

const codeOf = (task: () => unknown): string => {
  try {
    return JSON.stringify(task())
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error)
  }
}

const io = (stdin: string) => ({
  io: {
    out: () => undefined,
    err: () => undefined,
    input: () => Buffer.from(stdin),
    isTerminal: () => false,
    width: Infinity,
  },
  cwd: '/',
})

describe('a value', () => {
  test.each([
    ['auth', '"auth"'],
    ['', '""'],
    ['1', '1'],
    ['-1.5', '-1.5'],
    ['007', '"007"'],
    ['true', 'true'],
    ['null', 'null'],
    ['"1"', '"1"'],
    ['{"a": [1, 2]}', '{"a":[1,2]}'],
    ['{a: 1}', '"{a: 1}"'],
    ['[1, 2', '"[1, 2"'],
    ['9007199254740993', 'NUMBER_NOT_EXACT'],
    ['1e400', 'NUMBER_NOT_EXACT'],
    ['{"a":1,"a":2}', 'KEY_DUPLICATE'],
    ['{"__proto__": 1}', 'KEY_FORBIDDEN'],
    ['"\\ud800"', 'VALUE_NOT_JSON'],
  ])('is JSON if it parses exactly, else a string: %s', (text, wanted) => {
    expect(codeOf(() => toValue(text, false))).toBe(wanted)
    expect(toValue(text, true)).toBe(text)
  })

  test('that would change is told to be quoted, which every command takes, and not all have --string', () => {
    expect(() => toValue('9007199254740993', false)).toThrow(
      expect.objectContaining({ hint: `to keep it as text, write it in the quotes of JSON: '"…"'` }),
    )
    expect(toValue('"9007199254740993"', false)).toBe('9007199254740993')
  })

  test('comes from a word, or from stdin, and a text is kept byte for byte', () => {
    const command = { name: 'state set' }
    expect(givenValue(io(''), command, { value: '5' })).toBe(5)
    expect(givenValue(io('5\n'), command, { value: '-' })).toBe(5)
    expect(givenValue(io('5\n'), command, { value: '-', string: true })).toBe('5\n')
    expect(givenValue(io('five\n'), command, { value: '-' })).toBe('five\n')
    expect(givenValue(io('five\r\n'), command, { file: '-' })).toBe('five\r\n')
    expect(givenText(io('as it is\n'), command, { value: '-' })).toBe('as it is\n')
  })

  test('is one value', () => {
    expect(codeOf(() => givenText(io(''), { name: 'state set' }, {}))).toBe('USAGE')
    expect(codeOf(() => givenText(io(''), { name: 'state set' }, { value: 'a', file: 'b' }))).toBe('USAGE')
    expect(codeOf(() => givenText(io(''), { name: 'state set' }, { file: '/no/such/file' }))).toBe('FILE_NOT_FOUND')
  })
})

describe('colour', () => {
  const yes = () => true
  const no = () => false
  test.each([
    ['always', { NO_COLOR: '1' }, no, true],
    ['never', { FORCE_COLOR: '1' }, yes, false],
    [undefined, {}, yes, true],
    [undefined, {}, no, false],
    [undefined, { NO_COLOR: '1' }, yes, false],
    [undefined, { NO_COLOR: '' }, yes, true],
    [undefined, { FORCE_COLOR: '1' }, no, true],
    [undefined, { FORCE_COLOR: '0' }, yes, false],
    [undefined, { FORCE_COLOR: '' }, no, false],
    [undefined, { FORCE_COLOR: '' }, yes, true],
    [undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, yes, false],
    [undefined, { TERM: 'dumb' }, yes, false],
    [undefined, { CI: 'true' }, yes, false],
    [undefined, { CLAUDECODE: '1' }, yes, false],
    [undefined, { CODEX_SANDBOX: 'seatbelt' }, yes, false],
    [undefined, { GEMINI_CLI: '1' }, yes, false],
    [undefined, { CI: 'false' }, yes, true],
  ])('--color %s in %j', (when, env, terminal, wanted) => {
    expect(wantsColour(when, env, terminal)).toBe(wanted)
  })

  test('is never where it is off, nor around nothing', () => {
    expect([makePaint(false).red('a'), makePaint(true).red(''), makePaint(true).red('a')]).toEqual([
      'a',
      '',
      '\x1b[31ma\x1b[39m',
    ])
    expect(isAutomated({})).toBe(false)
  })
})
