/*
 * The text of a value of any size, piece by piece. As one text of fifty megabytes it would be new memory of that size for
 * each step that it takes, from text to bytes to hash, and the other threads of a program wait while one gets new memory.
 *
 *   {"session":{ … },"data":{"tasks":{"t0":{ … },│"t1":{ … },"t2":{ … },│ … }}}
 *
 * Q1. The pieces, one behind the other, are the text that the form makes of the whole.
 * Q2. A piece is little more than PIECE, but for what has a long text and is not looked into: a string, say, or an object
 *     below DEEPEST that has few members.
 */
import { canonicalForm, type Form } from './canonical.ts'

/** In UTF-16 units. */
const PIECE = 64 * 1024
/** Down to there all is looked into, below only what itself has many members. */
const DEEPEST = 3
const MANY = 64

const plain: Form = { keys: Object.keys, text: JSON.stringify }

/** Of JSON.stringify; members that are undefined are left out. */
export const jsonPieces = (value: unknown): Generator<string> => piecesOf(value, plain)

/** Of canonicalJson. */
export const canonicalPieces = (value: unknown): Generator<string> => piecesOf(value, canonicalForm())

function* piecesOf(value: unknown, form: Form): Generator<string> {
  yield isLookedInto(value, 0) ? yield* pieces(form, value, 0, '') : form.text(value)
}

/** Behind the text `before`, which was not handed out yet; answers what of all that was not. */
function* pieces(form: Form, value: object, depth: number, before: string): Generator<string, string> {
  const isList = Array.isArray(value)
  let text = before
  let mark = isList ? '[' : '{'
  for (const key of isList ? value.keys() : form.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (member === undefined && !isList) continue
    text += isList ? mark : `${mark}${JSON.stringify(key)}:`
    mark = ','
    // Most members are small, and a generator for each would take twice as long.
    if (isLookedInto(member, depth + 1)) text = yield* pieces(form, member, depth + 1, text)
    else text += form.text(member ?? null)
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  return `${text}${mark === ',' ? '' : mark}${isList ? ']' : '}'}`
}

const isLookedInto = (value: unknown, depth: number): value is object =>
  typeof value === 'object' &&
  value !== null &&
  (depth < DEEPEST || (Array.isArray(value) ? value : Object.keys(value)).length > MANY)
