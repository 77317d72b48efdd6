import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { tokenCounter } from './tokens.ts'

const { count } = tokenCounter

test('a text has as many tokens as its encoding gives it', () => {
  for (const text of ['', 'hello world', '# Report\n\n- one\n- two\n', '研究报告：身份验证', '👩‍👩‍👧 é\u0301 \ud800'])
    expect(count(text)).toBe(encode(text).length)
  // Known of o200k_base.
  expect(count('hello world')).toBe(2)
})

test('K1 what looks like a special token is text', () => {
  expect(count('a <|endoftext|> b')).toBeGreaterThan(3)
  expect(count('<|im_start|>system')).toBeGreaterThan(2)
})

test('K2 long runs are counted in pieces, close to the whole', () => {
  const word = 'abcdefghij'.repeat(120)
  const whole = encode(word).length
  expect(count(word)).toBeGreaterThanOrEqual(whole)
  expect(count(word)).toBeLessThanOrEqual(whole + 3)
  for (const hostile of ['a'.repeat(200_000), ' '.repeat(200_000), '漢'.repeat(100_000)])
    expect(count(hostile)).toBeGreaterThan(100)
})
