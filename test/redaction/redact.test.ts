import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../src/kernel/kernel.ts'
import { makeRedactor, type RedactionSettings, type Redactor } from '../../src/kernel/redact.ts'
import { RULES } from '../../src/kernel/redact-rules.ts'
import { HARMLESS, PLACES, SECRETS } from './secrets.ts'

const made = (more: Partial<RedactionSettings> = {}): Redactor => {
  const redactor = makeRedactor({ ...DEFAULTS.redaction, ...more })
  if (redactor === undefined) throw new Error('it is on')
  return redactor
}
const redactor = made()
const clean = (text: string, by = redactor): string => by.text(text, new Map())
const cleanValue = (value: unknown, by = redactor): unknown => by.value(value, new Map())

const cases = SECRETS.flatMap(([rule, secret]) =>
  Object.entries(PLACES).map(([place, around]) => ({ rule, secret, place, text: around(secret) })),
)

describe('D1. a secret is found wherever it stands', () => {
  test.each(cases)('$rule $place', ({ rule, secret, text }) => {
    const cleaned = clean(text)
    expect(cleaned).toContain(`[redacted:${rule}]`)
    const escaped = JSON.stringify(secret).slice(1, -1)
    for (const form of [secret, escaped]) expect(cleaned).not.toContain(form)
  })

  test('every rule has a case', () => {
    const named = ['url-password', 'authorization', 'azure-key']
    const seen = new Set([...SECRETS.map(([rule]) => rule), ...named])
    expect(RULES.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([])
  })

  test.each([
    ['postgres://app:hunter2!@db.local/app', 'postgres://app:[redacted:url-password]@db.local/app'],
    ['Authorization: Bearer 0123456789abcdef01', 'Authorization: Bearer [redacted:authorization]'],
    ['-H "authorization: Basic dXNlcjpwYXNzd29yZA=="', '-H "authorization: Basic [redacted:authorization]"'],
    [`AccountKey=${'Ab1+'.repeat(21)}Ab==;`, 'AccountKey=[redacted:azure-key];'],
    ['DB_PASSWORD=hunter22 run', 'DB_PASSWORD=[redacted:named-secret] run'],
    ["apiKey: 'k3y-0f-mine'", "apiKey: '[redacted:named-secret]'"],
    ['{"client_secret": "s3cr3tly"}', '{"client_secret": "[redacted:named-secret]"}'],
    ['aws_secret_access_key = "wJalrXUtnFEMIK7MDENG"', 'aws_secret_access_key = "[redacted:named-secret]"'],
    ['password: hunter2222', 'password: [redacted:named-secret]'],
  ])('%s', (text, expected) => {
    expect(clean(text)).toBe(expected)
  })
})

describe('D1. what only looks random is left alone', () => {
  test.each(HARMLESS)('%s', (text) => {
    expect(clean(text)).toBe(text)
    for (const around of Object.values(PLACES)) {
      if (!text.includes('"'))
        expect(clean(around(text)).replaceAll('TOKEN=', '')).toBe(around(text).replaceAll('TOKEN=', ''))
    }
    expect(cleanValue({ id: text, list: [text] })).toEqual({ id: text, list: [text] })
  })

  test('D1. hashes, uuids, numbers, base64 and words are no secrets', () => {
    const dull = fc.oneof(
      fc.uuid(),
      fc.stringMatching(/^[0-9a-f]{7,128}$/),
      fc.base64String({ maxLength: 300 }),
      fc.integer().map(String),
      fc.lorem(),
      fc.webUrl(),
    )
    const record = fc.dictionary(fc.constantFrom('id', 'sha256', 'key', 'token', 'prev', 'path', 'value'), dull)
    fc.assert(
      fc.property(record, (value) => {
        expect(cleanValue(value)).toBe(value)
        expect(clean(JSON.stringify(value))).toBe(JSON.stringify(value))
      }),
    )
  })
})

describe('D4. the quick look', () => {
  test('suspects every line that holds a secret', () => {
    for (const { text } of cases) {
      expect(redactor.suspects(text)).toBe(true)
      expect(redactor.suspects(JSON.stringify({ events: [{ data: { value: text } }] }))).toBe(true)
    }
  })

  test('suspects every line with a named secret', () => {
    for (const value of [
      { db_password: 'hunter22' },
      { path: "$.data['api_key']", value: 'x9x9x9' },
      { a: 'p. passwd="a1b2c3"' },
    ])
      expect(redactor.suspects(JSON.stringify(value)), JSON.stringify(value)).toBe(true)
  })
})

describe('D3, D5. cleaning', () => {
  const piece = fc.oneof(fc.constantFrom(...cases.map(({ text }) => text), ...HARMLESS), fc.string())

  test('D3. finds nothing in what it left', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const once = clean(pieces.join(' '))
        expect(clean(once)).toBe(once)
        const value = cleanValue({ list: pieces, password: pieces[0] ?? '' })
        expect(cleanValue(value)).toBe(value)
      }),
    )
  })

  test('D5. bytes of any encoding stay as they are around a secret', () => {
    const [, secret] = SECRETS[0] ?? ['', '']
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
        const bytes = redactor.bytes(Buffer.concat([noise, Buffer.from(` ${secret} `), noise]), 's')
        expect(Buffer.from(bytes)).toEqual(Buffer.concat([noise, Buffer.from(' [redacted:github-token] '), noise]))
        expect(redactor.bytes(noise, 's')).toBe(noise)
      }),
    )
  })

  test('D6. a name beside a value makes it a secret, in a path and in an output', () => {
    const secret = '[redacted:named-secret]'
    expect(cleanValue({ path: "$.data['db-password']", value: 'hunter2' })).toMatchObject({ value: secret })
    expect(cleanValue({ name: 'deploy.api_key', value: 'hunter2' })).toMatchObject({ value: secret })
    expect(cleanValue({ env: { GITHUB_AUTH_TOKEN: 'abcdef', HOME: '/root' } })).toEqual({
      env: { GITHUB_AUTH_TOKEN: secret, HOME: '/root' },
    })
    expect(cleanValue({ Authorization: 'Bearer 0123456789abcdef' })).toEqual({ Authorization: secret })
    expect(cleanValue({ name: 'topic', value: 'hunter2' })).toEqual({ name: 'topic', value: 'hunter2' })
  })
})

describe('settings', () => {
  test('D6. of a configured name every text counts', () => {
    const own = made({ names: ['pin', 'launch-code'] })
    expect(cleanValue({ pin: 'my own', LAUNCH_CODE: 'a b' }, own)).toEqual({
      pin: '[redacted:named-secret]',
      LAUNCH_CODE: '[redacted:named-secret]',
    })
    expect(clean('launchCode="go now"', own)).toBe('launchCode="[redacted:named-secret]"')
    expect(own.suspects('{"pin":"1"}')).toBe(true)
  })

  test('a pattern of one’s own is a rule', () => {
    const own = made({ patterns: [{ id: 'acme', pattern: 'acme/[a-z]{8}' }] })
    expect(clean('use acme/abcdefgh here', own)).toBe('use [redacted:acme] here')
  })

  test('a rule can be turned off, and so can all', () => {
    const [, secret] = SECRETS[0] ?? ['', '']
    expect(clean(secret, made({ off: ['github-token'] }))).toBe(secret)
    expect(clean('DB_PASSWORD=hunter22', made({ off: ['named-secret'] }))).toBe('DB_PASSWORD=hunter22')
    expect(makeRedactor({ ...DEFAULTS.redaction, enabled: false })).toBeUndefined()
  })

  test.each<Partial<RedactionSettings>>([
    { names: ['two words'] },
    { off: ['no-such-rule'] },
    { patterns: [{ id: 'Acme', pattern: 'x' }] },
    { patterns: [{ id: 'acme', pattern: '(' }] },
    { patterns: [{ id: 'acme', pattern: 'x*' }] },
    { patterns: ['x'] },
  ])('%j is refused', (more) => {
    expect(() => made(more)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
  })
})
