import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileGet, formatPath, getAt, isSingular, type Keys, parsePath, readerOf } from './path.ts'

const failure = (code: string) => expect.objectContaining({ code })
const FORBIDDEN = ['__proto__', 'constructor', 'prototype']

const key = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'a',
      'task-1',
      'x.y',
      "it's",
      '"',
      '\\',
      '',
      '0',
      '-1',
      'toString',
      'length',
      '\u2028',
      '\n',
      '😀',
      ' ',
    ),
  )
  .filter((text) => text.isWellFormed() && !FORBIDDEN.includes(text))
const index = fc.nat({ max: 50 })
const keys = fc.array(fc.oneof(key, index), { maxLength: 8 })

describe('P1: keys and indices', () => {
  test.each<[string, Keys]>([
    ['$', []],
    ['$.a', ['a']],
    ['$.a.b[\'x.y\'][0]["k-1"]', ['a', 'b', 'x.y', 0, 'k-1']],
    ['data.topic', ['data', 'topic']],
    ["execution.tasks['task-1'].status", ['execution', 'tasks', 'task-1', 'status']],
    ['data.task-1.x', ['data', 'task-1', 'x']],
    ['$.data.task-1.x', ['data', 'task-1', 'x']],
    ['tasks.3f2a-77.status', ['tasks', '3f2a-77', 'status']],
    ["['a b'].c", ['a b', 'c']],
    ['[0]', [0]],
    ['$.list[-1]', ['list', -1]],
    ['$[ 0 ][ "a" ]', [0, 'a']],
    ["$['0']", ['0']],
    ['$.größe.名前', ['größe', '名前']],
    [String.raw`$['it\'s']["\"\u263a\\\/\n"]`, ["it's", '"☺\\/\n']],
    [String.raw`$["\ud83d\ude00"]`, ['😀']],
    ["$['']", ['']],
  ])('%s is read', (text, expected) => {
    expect(parsePath(text)).toEqual(expected)
    expect(isSingular(text)).toBe(true)
  })

  test.each([
    ['', 0],
    ['$.', 2],
    ['a..b', 2],
    ['$a', 1],
    ['.a', 0],
    ['$.a.', 4],
    ['a b', 1],
    ['$.a[', 3],
    ['$.a[]', 3],
    ['$.a[*]', 3],
    ['$..a', 2],
    ['$.a[?@.b]', 3],
    ['$.a[0,1]', 3],
    ['$.a[0:1]', 3],
    ['$.a[01]', 3],
    ['$.a[-0]', 3],
    ['$.a[1.5]', 3],
    ['$.a[9007199254740993]', 3],
    ["$['a", 1],
    ['$[\'a"]', 1],
    [String.raw`$['\x']`, 1],
    [String.raw`$['\"']`, 1],
    [String.raw`$["\'"]`, 1],
    [String.raw`$['\ud800']`, 1],
    ["$['\ud800']", 1],
    ["$['\n']", 1],
    ['$.-a', 2],
    ['data.items.0', 11],
    ['$.0', 2],
    [' a', 0],
    ['a ', 1],
    ['$ .a', 1],
    ['@.a', 0],
    ['$.a\ud800', 3],
    [String.raw`$['\u00g0']`, 1],
    ["$.a'b'", 3],
  ])('%s is refused at its place', (text, position) => {
    expect(() => parsePath(text)).toThrow(
      expect.objectContaining({ code: 'PATH_INVALID', details: expect.objectContaining({ position }) }),
    )
    expect(isSingular(text)).toBe(false)
  })

  test('a number outside brackets is refused with both ways to write it', () => {
    expect(() => parsePath('a.0')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("[0] for an array index or ['0']") }),
    )
  })

  test('a key does not read an element, nor an index a member', () => {
    const root = { list: ['x'], map: { 0: 'y', '-1': 'z' }, text: 'abc' }
    const absent = [
      "$.list['0']",
      '$.list.length',
      "$.list['-1']",
      '$.map[0]',
      '$.map[-1]',
      '$.text[0]',
      '$.text.length',
      '$.list.at',
    ]
    expect(absent.map((text) => compileGet(text)(root))).toEqual(absent.map(() => undefined))
    expect(compileGet("$.map['0']")(root)).toBe('y')
    expect(compileGet('$.list[0]')(root)).toBe('x')
  })

  test('a negative index counts from the end', () => {
    expect([-1, -3, -4, 3].map((at) => getAt(['a', 'b', 'c'], [at]))).toEqual(['c', 'a', undefined, undefined])
  })
})

describe('P2: forbidden keys and prototypes', () => {
  test.each(['__proto__.x', '$.a.constructor', "$['prototype']", String.raw`$["\u005f_proto__"]`, 'a[0].__proto__'])(
    '%s is refused',
    (text) => {
      expect(() => parsePath(text)).toThrow(failure('KEY_FORBIDDEN'))
      expect(() => compileGet(text)).toThrow(failure('KEY_FORBIDDEN'))
      expect(isSingular(text)).toBe(true)
    },
  )

  test('nothing is read from a prototype', () => {
    const root = { text: 'abc', n: 1, yes: true, list: [1], nothing: null, inner: {} }
    for (const owner of ['', '.text', '.n', '.yes', '.list', '.nothing', '.inner']) {
      for (const name of [
        'toString',
        'hasOwnProperty',
        'map',
        'trim',
        'toFixed',
        'valueOf',
        'length',
        'isWellFormed',
      ]) {
        expect(compileGet(`$${owner}.${name}`)(root)).toBeUndefined()
      }
    }
  })

  test('own members with the names of inherited ones are read', () => {
    expect(compileGet('$.a.toString')({ a: { toString: 1 } })).toBe(1)
    expect(compileGet('length')({ length: 2 })).toBe(2)
  })

  test('a path deeper than any value is refused', () => {
    expect(parsePath(`$${'.a'.repeat(128)}`)).toHaveLength(128)
    expect(() => parsePath(`$${'.a'.repeat(129)}`)).toThrow(failure('VALUE_TOO_DEEP'))
    expect(() => parsePath(`$${'[0]'.repeat(100_000)}`)).toThrow(failure('VALUE_TOO_DEEP'))
  })
})

describe('P3: paths as text', () => {
  test.each<[Keys, string]>([
    [[], '$'],
    [['data', 'topic'], '$.data.topic'],
    [['execution', 'tasks', 'task-1', 0], "$.execution.tasks['task-1'][0]"],
    [["it's", 'a"b', 'c\\d'], String.raw`$['it\'s']['a"b']['c\\d']`],
    [['\b\f\n\r\t\u0000\u001f'], String.raw`$['\b\f\n\r\t\u0000\u001f']`],
    [['\u007f\u2028😀'], "$['\u007f\u2028😀']"],
    [['', '0', '1a'], "$['']['0']['1a']"],
  ])('%j is written as %s', (from, text) => {
    expect(formatPath(from)).toBe(text)
  })

  test('what is written is read as the same keys', () => {
    fc.assert(
      fc.property(keys, (from) => {
        expect(parsePath(formatPath(from))).toEqual(from)
        expect(isSingular(formatPath(from))).toBe(true)
      }),
    )
  })

  test('any text is read, or refused with a code', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom('$', '.', '[', ']', "'", '"', '\\', 'a', '-', '0', '*', '..', '\\u12', ' '),
        fc.string(),
      ),
    )
    fc.assert(
      fc.property(
        pieces.map((all) => all.join('')),
        (text) => {
          try {
            expect(parsePath(formatPath(parsePath(text)))).toEqual(parsePath(text))
          } catch (error) {
            expect(['PATH_INVALID', 'KEY_FORBIDDEN']).toContain((error as { code?: string }).code)
          }
        },
      ),
    )
  })
})

describe('P1: readers', () => {
  test('read what a walk over own members reads', () => {
    const walk = (root: unknown, path: Keys): unknown => {
      let value = root
      for (const step of path) {
        if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number'))
          return undefined
        if (!Object.hasOwn(value, step)) return undefined
        value = (value as Record<string | number, unknown>)[step]
      }
      return value
    }
    const name = fc.constantFrom('a', 'b', 'c', 'toString', 'length', '0', 'k-1')
    const steps = fc.array(fc.oneof(name, fc.nat({ max: 2 })), { maxLength: 6 })
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.dictionary(name, tie('tree')),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, steps, (root, path) => {
        expect(getAt(root, path)).toBe(walk(root, path))
        expect(readerOf(path)(root)).toBe(walk(root, path))
        expect(compileGet(formatPath(path))(root)).toBe(walk(root, path))
      }),
      { numRuns: 500 },
    )
  })

  test('more texts than are remembered are all read right', () => {
    const root = { k7: 7 }
    const wrong = Array.from({ length: 25_000 }, (_, i) => i).filter((i) => parsePath(`$.k${i}`)[0] !== `k${i}`)
    expect(wrong).toEqual([])
    expect(compileGet('$.k7')(root)).toBe(7)
  })
})
