/*
 * Counts tokens as o200k_base does: the encoding of OpenAI's models from GPT-4o on. For others it is an estimate.
 *
 * K1. What looks like a special token (`<|endoftext|>`) is counted as the text it is.
 * K2. A run of more than 500 characters without a change between space and other text is counted in pieces, at most a
 *     token or so too much for each: whole, it would take the square of its length.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { TokenCounter } from '../../kernel/ports.ts'

const LONGEST_RUN = 500
const RUNS = new RegExp(`\\S{${LONGEST_RUN + 1},}|\\s{${LONGEST_RUN + 1},}`, 'g')
/** Never half a surrogate pair. */
const PIECES = new RegExp(`[^]{1,${LONGEST_RUN}}`, 'gu')
const NONE: ReadonlySet<string> = new Set()

export const tokenCounter: TokenCounter = { encoding: 'o200k_base', count }

function count(text: string): number {
  let tokens = 0
  let at = 0
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    tokens += plain(text.slice(at, index))
    for (const [piece] of run.matchAll(PIECES)) tokens += plain(piece)
    at = index + run.length
  }
  return tokens + plain(text.slice(at))
}

const plain = (text: string): number =>
  countTokens(text, { allowedSpecial: new Set(NONE), disallowedSpecial: new Set(NONE) })
