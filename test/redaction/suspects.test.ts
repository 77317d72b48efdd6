import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BUILT_IN } from '../../src/kernel/redact/names.ts'
import { foundIn } from '../../src/kernel/redact/redact.ts'
import { cases, data, made, redactor } from './kit.ts'

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
      { a: 'password\t= hunter22' },
      { a: 'password\n: "hunter22"' },
    ])
      expect(redactor.suspects(JSON.stringify(value)), JSON.stringify(value)).toBe(true)
  })

  test.each(BUILT_IN)('D4. suspects %s however it is written, and not what events say of keys and leases', (name) => {
    for (const written of [name, name.toUpperCase(), name.replace('_', '-'), name.replace('_', ''), `db_${name}`]) {
      expect(foundIn({ [written]: 'hunter22' }, redactor).size).toBe(1)
      expect(redactor.suspects(JSON.stringify({ [written]: 'hunter22' })), written).toBe(true)
    }
    expect(redactor.suspects('{"token":71,"key":"a","fencing_token":2,"step_id":"b","secret":false}')).toBe(false)
  })

  test('D4. suspects every JSON in which a name makes a secret, in whatever order and depth', () => {
    const own = made({ names: ['pin', 'token'] })
    fc.assert(
      fc.property(data, (value) => {
        for (const by of [redactor, own])
          if (foundIn(value, by).size > 0) expect(by.suspects(JSON.stringify(value)), JSON.stringify(value)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
