import fc from 'fast-check'
import { DEFAULTS } from '../../src/kernel/kernel.ts'
import { makeRedactor, type RedactionSettings, type Redactor } from '../../src/kernel/redact/redact.ts'
import { PLACES, SECRETS } from './secrets.ts'

export const made = (more: Partial<RedactionSettings> = {}): Redactor => {
  const redactor = makeRedactor({ ...DEFAULTS.redaction, ...more })
  if (redactor === undefined) throw new Error('it is on')
  return redactor
}
export const redactor = made()

export const cases = SECRETS.flatMap(([rule, secret]) =>
  Object.entries(PLACES).map(([place, around]) => ({ rule, secret, place, text: around(secret) })),
)

/** JSON with names that make secrets of what stands below or beside them. */
const secretNames = ['password', 'db-password', 'apiKey', 'AUTH_TOKEN', 'clientSecret', 'private-key']
const names = [...secretNames, 'pin', 'token', 'Authorization', 'min_length', 'list', 'n']
const paths = ['$.data.password', "$.data['api_key'][0]", 'data.pin[1][2]', '/user/password', '$.tasks.a.token']
export const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(fc.constantFrom('hunter22', 'Bearer 0123456789abcdef', 'a b', ...names, ...paths), fc.string()),
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('data'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names, 'value'), tie('data'), { maxKeys: 4 }),
    fc.record({ value: tie('data'), path: fc.constantFrom(...paths, ...names) }),
    fc.record({ value: tie('data'), name: fc.constantFrom(...names) }),
    fc.record({ key: fc.constantFrom(...names), value: tie('data') }),
  ),
}))
