import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../src/kernel/kernel.ts'
import { foundIn, makeRedactor, type RedactionSettings } from '../../src/kernel/redact/redact.ts'
import { RULES } from '../../src/kernel/redact/rules.ts'
import { cases, data, made, redactor } from './kit.ts'
import { CUT_OFF, HARMLESS, PLACES, SECRETS } from './secrets.ts'

const clean = (text: string, by = redactor): string => by.text(text, new Map())
const cleanValue = (value: unknown, by = redactor): unknown => by.value(value, new Map())

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

  test.each<readonly [text: string, clean: string]>([
    ['postgres://app:hunter2!@db.local/app', 'postgres://app:[redacted:url-password]@db.local/app'],
    ['Authorization: Bearer 0123456789abcdef01', 'Authorization: Bearer [redacted:authorization]'],
    ['-H "authorization: Basic dXNlcjpwYXNzd29yZA=="', '-H "authorization: Basic [redacted:authorization]"'],
    [`AccountKey=${'Ab1+'.repeat(21)}Ab==;`, 'AccountKey=[redacted:azure-key];'],
    ['DB_PASSWORD=hunter22 run', 'DB_PASSWORD=[redacted:named-secret] run'],
    ["apiKey: 'k3y-0f-mine'", "apiKey: '[redacted:named-secret]'"],
    ['{"client_secret": "s3cr3tly"}', '{"client_secret": "[redacted:named-secret]"}'],
    ['aws_secret_access_key = "wJalrXUtnFEMIK7MDENG"', 'aws_secret_access_key = "[redacted:named-secret]"'],
    ['password: hunter2222', 'password: [redacted:named-secret]'],
    ...CUT_OFF,
    [`"access_token": "${'x9Y'.repeat(3000)}"`, '"access_token": "[redacted:named-secret]"'],
    [`{"password": "it's12345"}`, '{"password": "[redacted:named-secret]"}'],
    [String.raw`{"password": "a\"b\\c12345"}`, '{"password": "[redacted:named-secret]"}'],
    [String.raw`{\"password\": \"it's12345\"}`, String.raw`{\"password\": \"[redacted:named-secret]\"}`],
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

  test('D5. of names, numbers and lists: what is clean is answered as it is', () => {
    const own = made({ names: ['pin', 'token'] })
    fc.assert(
      fc.property(data, (value) => {
        for (const by of [redactor, own]) {
          const once = cleanValue(value, by)
          expect(cleanValue(once, by)).toBe(once)
          expect(foundIn(value, by).size === 0).toBe(once === value)
        }
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

describe('D6. numbers and lists by their name', () => {
  const secret = '[redacted:named-secret]'
  const [, shaped = ''] = SECRETS[0] ?? []

  test.each<readonly [before: object, after: object]>([
    [{ password: 12_345_678 }, { password: secret }],
    [{ apiKey: 998_877_665_544 }, { apiKey: secret }],
    [
      { path: '$.data.password', value: 12_345_678 },
      { path: '$.data.password', value: secret },
    ],
    [
      { path: '/user/password', value: 12_345_678 },
      { path: '/user/password', value: secret },
    ],
    [
      { value: 12_345_678, name: 'api_key' },
      { value: secret, name: 'api_key' },
    ],
    [{ password: ['hunter2xyz', 12_345_678] }, { password: [secret, secret] }],
    [{ password: [['hunter2xyz'], { api_key: 998_877 }] }, { password: [[secret], { api_key: secret }] }],
    [
      { path: 'data.password', value: ['hunter2xyz'] },
      { path: 'data.password', value: [secret] },
    ],
    [
      { path: '$.data.password[3]', value: 'hunter2xyz' },
      { path: '$.data.password[3]', value: secret },
    ],
    [
      { path: "$.data['api-key'][0]", value: 998_877 },
      { path: "$.data['api-key'][0]", value: secret },
    ],
    [{ password: [shaped, `a ${shaped}`] }, { password: ['[redacted:github-token]', 'a [redacted:github-token]'] }],
    [{ authorization: ['Bearer 0123456789abcdef'] }, { authorization: [secret] }],
  ])('%j', (before, after) => {
    expect(cleanValue(before)).toEqual(after)
    expect(redactor.suspects(JSON.stringify(before))).toBe(true)
  })

  test.each<object>([
    { password: { min_length: 12_345_678, rotate: true, hint: 'hunter2xyz' } },
    { password: [1, 12, 123, true, null, '', 'a b c'] },
    { password: 0, api_key: 1111, access_token: -1, private_key: 0.5 },
    { tokens: 184_220, max_password_length: 12_345_678, key: 998_877_665_544 },
    { path: '$.data.password.min_length', value: 12_345_678 },
    { list: [12_345_678], name: 'topic', value: [998_877] },
    { pin: 1234 },
  ])('%j stays', (value) => {
    expect(cleanValue(value)).toBe(value)
  })

  test('of a configured name every number counts', () => {
    const own = made({ names: ['pin'] })
    const given = { pin: 1, card_pin: [0, 'a b'], spinning: 2, pins: 3, list: [{ pin: -0.5 }], path: 'pin', value: 4 }
    expect(cleanValue(given, own)).toEqual({
      ...given,
      pin: secret,
      card_pin: [secret, secret],
      list: [{ pin: secret }],
      value: secret,
    })
  })

  test('the numbers of the program itself stay: in events, in paths that are not free, and fencing tokens', () => {
    const own = made({ names: ['token', 'expires'] })
    const inEvents = (value: unknown) => own.value(value, new Map(), 'own')
    const event = { token: 5, claim: { expires: 6 }, changes: [{ path: '$.tasks.a.token', value: 7 }] }
    expect(inEvents(event)).toBe(event)
    expect(inEvents({ token: 'mine' })).toEqual({ token: secret })
    const free = { path: '$.data.token', value: 5 }
    expect(inEvents([free])).toEqual([{ ...free, value: secret }])
    expect(inEvents({ path: "$['data'].a", value: { token: [5] } })).toMatchObject({ value: { token: [secret] } })
    const asked = { token: 5, changes: [{ path: '$.tasks.a', value: { token: 6, expires: 7 } }] }
    expect(cleanValue(asked, own)).toBe(asked)
    expect(cleanValue({ expires: 5, path: 'data.token', value: 6 }, own)).toMatchObject({
      expires: secret,
      value: secret,
    })
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
