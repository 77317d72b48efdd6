// The values a log can hold and give back byte for byte; everything else is refused before it is written.
const fail = (what) => Object.assign(new Error(`a log cannot hold ${what}`), { code: 'BAD_VALUE' })
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Throws BAD_VALUE for what JSON would change on its way to the disk and back. */
export function refuseTrap(value, depth = 0) {
  if (depth > 200) throw fail('a value deeper than 200')
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'string') return refuseText(value)
  if (typeof value === 'number') return refuseNumber(value)
  if (typeof value !== 'object') throw fail(typeof value)
  if (Object.getOwnPropertySymbols(value).length > 0) throw fail('a symbol as key')
  if (Array.isArray(value)) refuseArray(value, depth)
  else refuseObject(value, depth)
}

function refuseArray(array, depth) {
  if (Object.values(array).length !== array.length) throw fail('an array with holes or names')
  for (const item of array) refuseTrap(item, depth + 1)
}

function refuseText(text) {
  if (text.length > 16_000_000) throw fail('a text this long')
  if (!text.isWellFormed()) throw fail('a lone surrogate')
}

function refuseNumber(number) {
  if (!Number.isFinite(number) || Object.is(number, -0)) throw fail(`the number ${number}`)
}

function refuseObject(value, depth) {
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) throw fail('an object of a class')
  for (const [key, item] of Object.entries(value)) {
    if (forbidden.has(key)) throw fail(`the key ${key}`)
    refuseText(key)
    refuseTrap(item, depth + 1)
  }
}
