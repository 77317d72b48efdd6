import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../error.ts'
import { formatOutputs, parseOutputs, type Output } from './output-grammar.ts'

const valuesOf = (text: string) => Object.fromEntries(parseOutputs(text).map(({ name, value }) => [name, value]))

function lineOfError(text: string): unknown {
  try {
    parseOutputs(text)
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'OUTPUT_INVALID' })
    return error instanceof EngineError ? error.details?.['line'] : undefined
  }
  return 'accepted'
}

const name = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,12}$/)
  .filter((text) => !['constructor', 'prototype'].includes(text))
const hostile = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  'END_0',
  'END_1',
  '<<',
  '=',
  'a=b',
  '\u0000',
  '\uFEFF',
  '$(id)',
  'ä',
  ' ',
)
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(hostile, { maxLength: 8 }).map((parts) => parts.join('')),
)

describe('grammar of outputs', () => {
  test('G1: one line, a block, an empty value and blank lines are taken', () => {
    const text = 'a=1\n\nb<<EOF\ntwo\n\nlines\nEOF\nc=\nd<<EOF\nEOF\ne.f-g=x=y<<z\n'
    expect(valuesOf(text)).toEqual({ a: '1', b: 'two\n\nlines', c: '', d: '', 'e.f-g': 'x=y<<z' })
  })

  test('G1: the last line needs no newline, and an empty text has no outputs', () => {
    expect(valuesOf('a=1')).toEqual({ a: '1' })
    expect(valuesOf('a<<E\nx\nE')).toEqual({ a: 'x' })
    expect(parseOutputs('')).toEqual([])
  })

  test.each([
    ['no separator', 'a=1\nhello\n', 2],
    ['a block that is never closed', 'a=1\nb<<EOF\nx\ny\n', 2],
    ['a closing delimiter with a space behind it', 'b<<EOF\nx\nEOF \n', 1],
    ['no delimiter', 'a=1\nb=2\nc<<\nx\n', 3],
    ['no name', '=1\n', 1],
    ['no name before a block', '<<EOF\nx\nEOF\n', 1],
    ['a name with a space', 'a b=1\n', 1],
    ['a name that begins with a digit', '1a=1\n', 1],
    ['a name with a command in it', '$(id)=1\n', 1],
    ['a name that is never stored', 'x=1\n__proto__=1\n', 2],
    ['a name of 257 characters', `${'n'.repeat(257)}=1\n`, 1],
    ['an error behind a block counts the lines of the block', 'b<<E\n1\n2\nE\nbad\n', 5],
  ])('G1: %s is refused whole, with its line', (_, text, line) => {
    expect(lineOfError(text)).toBe(line)
  })

  test('G2: the last value of a name wins', () => {
    expect(parseOutputs('a=1\nb=2\na<<E\n3\nE\n')).toEqual([
      { name: 'b', value: '2' },
      { name: 'a', value: '3' },
    ])
  })

  test('G3: a text made with CRLF and a byte order mark gives values without CR at the ends of lines', () => {
    expect(valuesOf('\uFEFFa=1\r\nb<<E\r\nx\r\ny\r\nE\r\n')).toEqual({ a: '1', b: 'x\r\ny' })
  })

  test('G3: CR inside a block opened by LF belongs to the value', () => {
    expect(valuesOf('b<<E\nx\r\ny\r\nE\n')).toEqual({ b: 'x\r\ny\r' })
  })

  test('G4: the delimiter is never a line of the value', () => {
    const outputs = [{ name: 'a', value: 'END_0\nEND_1\r\nx' }]
    expect(formatOutputs(outputs)).toBe('a<<END_2\nEND_0\nEND_1\r\nx\nEND_2\n')
    expect(parseOutputs(formatOutputs(outputs))).toEqual(outputs)
  })

  test('G4: a name that could not be read back is not written', () => {
    expect(() => formatOutputs([{ name: 'a\nb', value: '' }])).toThrow(EngineError)
  })

  test('G4: what was formatted is parsed to the same outputs', () => {
    const outputs = fc.uniqueArray(fc.record({ name, value }), {
      selector: (output: Output) => output.name,
      maxLength: 6,
    })
    const holds = fc.property(outputs, (list) => {
      expect(parseOutputs(formatOutputs(list))).toEqual(list)
    })
    fc.assert(holds, { numRuns: 2000 })
  })

  test('G1: no text makes the parser fail in another way', () => {
    const text = fc.array(fc.oneof(hostile, name), { maxLength: 20 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (any) => void lineOfError(any)),
      { numRuns: 2000 },
    )
  })
})
