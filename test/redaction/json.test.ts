/* D8: what is kept as the JSON of a value comes back as JSON, whatever was taken out of it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULTS } from '../../src/kernel/kernel.ts'
import { makeRedactor, type RedactionSettings, type Redactor } from '../../src/kernel/redact/redact.ts'
import { SECRETS } from './secrets.ts'

const made = (more: Partial<RedactionSettings> = {}): Redactor => {
  const redactor = makeRedactor({ ...DEFAULTS.redaction, ...more })
  if (redactor === undefined) throw new Error('it is on')
  return redactor
}
const redactor = made()
const kept = (value: unknown, by = redactor): unknown => JSON.parse(by.json(JSON.stringify(value), new Map()))
const KEY = `-----BEGIN ${'PRIVATE'} KEY-----`

test.each<unknown>([
  [{ text: 'Please enter your password:' }],
  [[[{ text: 'passphrase=' }], 1234, 'password: ']],
  [{ 'password:': [true, false] }],
  [[[{ text: "password:'" }]]],
  [[[[{ text: 'password:\\' }]]]],
  [["say passphrase='ab", "it's"]],
  [["say passphrase=\\'ab", "it\\'s"]],
  [{ text: 'say \\"password\\":' }, 5],
  [{ a: ':', b: '=', c: '":"' }],
])('D8. %j stays as it is', (value) => {
  expect(kept([value, 'end'])).toEqual([value, 'end'])
})

test.each<readonly [before: unknown, after: unknown]>([
  [{ password: 12_345_678 }, { password: '[redacted:named-secret]' }],
  [{ 'password\\': -1.5e-323 }, { 'password\\': '[redacted:named-secret]' }],
  [
    [`grep '${KEY}' .`, 'next'],
    ["grep '[redacted:private-key]' .", 'next'],
  ],
  [
    { args: '{"api_key":1234567890}', n: 1 },
    { args: '{"api_key":[redacted:named-secret]}', n: 1 },
  ],
])('D8. %j is cleaned by its members', (before, after) => {
  expect(kept(before)).toEqual(after)
})

test('D8. of any value nothing is found again, and it is the value that was cleaned', () => {
  const pieces = ['password', 'api-key', 'pin', ':', '=', ' ', '"', '\\', '\n', KEY, '-----END', '1234567', 'Bearer ']
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces, ...SECRETS.map(([, each]) => ` ${each} `)), fc.string()), {
    maxLength: 5,
  })
  const words = text.map((all) => all.join(''))
  const { data } = fc.letrec((tie) => ({
    data: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      words,
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
      fc.array(tie('data'), { maxLength: 4 }),
      fc.dictionary(words, tie('data'), { maxKeys: 4 }),
    ),
  }))
  const own = made({ names: ['pin'] })
  fc.assert(
    fc.property(data, (value) => {
      for (const by of [redactor, own]) {
        const json = JSON.stringify(value)
        const clean = by.json(json, new Map())
        expect(by.text(clean, new Map())).toBe(clean)
        const found: unknown = JSON.parse(clean)
        if (clean !== json) expect(by.value(found, new Map(), 'free')).toBe(found)
      }
    }),
    { numRuns: 500 },
  )
})

test('D8. what is no JSON is a text, and a rule that would leave none is named', () => {
  expect(redactor.json('password=hunter22', new Map())).toBe('password=[redacted:named-secret]')
  const own = made({ patterns: [{ id: 'acme', pattern: '"n":\\d+' }] })
  expect(() => own.json('{"n":1}', new Map())).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
  expect(own.json('{"n":"x"}', new Map())).toBe('{"n":"x"}')
})
