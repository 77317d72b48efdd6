// Values that bite whoever keeps JSON: what JSON changes, drops, reorders, follows for ever or cannot read back.
class Point {
  x = 1
}

const nest = (levels, wrap, seed = 1) => {
  let value = seed
  for (let i = 0; i < levels; i += 1) value = wrap(value)
  return value
}
const inArrays = (levels) => nest(levels, (value) => [value])
const inObjects = (levels) => nest(levels, (value) => ({ a: value }))

function cycle() {
  const value = { name: 'round' }
  value.self = value
  return value
}

function twice() {
  const shared = { one: 1 }
  return [shared, shared]
}

const holey = () => Object.assign([1], { 2: 3, length: 3 })
const own = (key) => Object.defineProperty({}, key, { value: { polluted: 1 }, enumerable: true })

/** Name and maker of each; makers, so that a second process can make the same value to compare with. */
export const traps = {
  'lone high surrogate': () => 'a\ud800',
  'lone low surrogate': () => '\udc00a',
  'surrogates in the wrong order': () => '\udc00\ud800',
  'pair of surrogates': () => '\ud83d\ude00',
  'NUL in a string': () => 'a\0b',
  'every control character': () =>
    Array.from({ length: 33 }, (_, i) => String.fromCharCode(i)).join('') + '\x7f\x80\x9f',
  'line separators': () => 'a\u2028b\u2029c\u0085d\ufeff',
  'newlines and quotes': () => '"\n\r\n\\"}\n{"v":1,"seq":9',
  'a line of the log': () => `{"v":1,"seq":2,"prev":"${'0'.repeat(64)}","hash":"${'0'.repeat(64)}"}`,
  'empty string': () => '',
  'combining characters': () => 'e\u0301 \u00e9 \u1e9e',
  'string of a megabyte': () => 'é'.repeat(500_000),
  'minus zero': () => -0,
  'not a number': () => NaN,
  infinity: () => Infinity,
  'two to the 53rd and one': () => [9_007_199_254_740_991, 9_007_199_254_740_992],
  'smallest and largest': () => [5e-324, 1.7976931348623157e308, -1e21, 1e-7, 0.1 + 0.2],
  bigint: () => 10n,
  undefined: () => undefined,
  'undefined in an object': () => ({ a: undefined }),
  'undefined in an array': () => [undefined],
  function: () => () => 1,
  symbol: () => Symbol('s'),
  'symbol as key': () => ({ [Symbol('s')]: 1, a: 1 }),
  date: () => new Date(0),
  map: () => new Map([[1, 2]]),
  set: () => new Set([1]),
  bytes: () => Buffer.from('hi'),
  'regular expression': () => /x/,
  error: () => new Error('x'),
  'object of a class': () => new Point(),
  'object with toJSON': () => ({ toJSON: () => 'other' }),
  'object without prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'object with a getter': () => Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }),
  'boxed string': () => Object('x'),
  '__proto__ as own key': () => own('__proto__'),
  'constructor as key': () => own('constructor'),
  'prototype as key': () => own('prototype'),
  '__proto__ deep inside': () => ({ a: [{ b: own('__proto__') }] }),
  'key with a lone surrogate': () => ({ ['\ud800']: 1 }),
  'empty key, dotted key, quoted key': () => ({ '': 1, 'a.b': 2, "it's": 3, 'a"b': 4, '$..x': 5, '[0]': 6 }),
  'keys that look like numbers': () => ({ b: 1, 2: 1, a: 1, 1: 1 }),
  'array with holes': holey,
  'array with a name': () => Object.assign([1], { extra: 2 }),
  cycle,
  'one object twice': twice,
  'a hundred arrays deep': () => inArrays(100),
  'a hundred objects deep': () => inObjects(100),
  'four thousand arrays deep': () => inArrays(4000),
  'ten thousand arrays deep': () => inArrays(10_000),
  'ten thousand objects deep': () => inObjects(10_000),
  'a hundred thousand elements': () => Array.from({ length: 100_000 }, (_, i) => i),
  'ten thousand keys': () => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
  'string of forty megabytes': () => 'x'.repeat(40_000_000),
}
