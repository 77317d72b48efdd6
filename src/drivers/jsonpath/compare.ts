/*
 * Comparisons of RFC 9535, section 2.3.5.2.2. `undefined` stands for Nothing, which JSON does not have.
 */
import type { Members } from '../../kernel/json/members.ts'

export type Compare = (left: unknown, right: unknown) => boolean

export const comparisons: Readonly<Record<string, Compare>> = {
  '==': isEqual,
  '!=': (left, right) => !isEqual(left, right),
  '<': isLess,
  '>': (left, right) => isLess(right, left),
  '<=': (left, right) => isLess(left, right) || isEqual(left, right),
  '>=': (left, right) => isLess(right, left) || isEqual(left, right),
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left)) return Array.isArray(right) && areArraysEqual(left, right)
  // Neither scalar nor array: both are objects.
  return !Array.isArray(right) && areObjectsEqual(left as Members, right as Members)
}

const areArraysEqual = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((element, index) => isEqual(element, right[index]))

function areObjectsEqual(left: Members, right: Members): boolean {
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  )
}

function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === 'number') return typeof right === 'number' && left < right
  return typeof left === 'string' && typeof right === 'string' && isTextLess(left, right)
}

/** By Unicode scalar value; `<` compares UTF-16 units, which puts U+1F600 before U+FF5E. */
function isTextLess(left: string, right: string): boolean {
  let i = 0
  while (i < left.length && left.charCodeAt(i) === right.charCodeAt(i)) i++
  if (i === left.length || i === right.length) return left.length < right.length
  const a = left.charCodeAt(i)
  const b = right.charCodeAt(i)
  return isSurrogate(a) === isSurrogate(b) ? a < b : isSurrogate(b)
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
