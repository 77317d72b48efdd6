import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asText } from './as-text.ts'

const bytes = (...each: readonly number[]) => Uint8Array.from(each)

test.each([
  ['nothing', bytes(), { out: '' }],
  ['text', Buffer.from('naïve ✓'), { out: 'naïve ✓' }],
  ['text that begins with a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x61), { out: '\ufeffa' }],
  ['what is no text', bytes(0xff, 0xfe, 0x61), { out: '\ufffd\ufffda', out_base64: '//5h' }],
  ['half a character', bytes(0x61, 0xc3), { out: 'a\ufffd', out_base64: 'YcM=' }],
])('%s is told whole', (_, given, told) => {
  expect(asText('out', given)).toEqual(told)
})

test('whatever the bytes are, they can be had again from what is told', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (given) => {
      const { out, out_base64 } = asText('out', given)
      const again = out_base64 === undefined ? Buffer.from(out) : Buffer.from(out_base64, 'base64')
      expect([...again]).toEqual([...given])
    }),
  )
})
