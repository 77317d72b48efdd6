import { expect, test } from 'vitest'
import { wishOf } from './wish.ts'

test.each([
  [false, {}, 'off'],
  [true, {}, 'asked'],
  [false, { STEADFOLD_OTEL: '1' }, 'asked'],
  [true, { STEADFOLD_OTEL: '0' }, 'off'],
  [true, { OTEL_SDK_DISABLED: 'true' }, 'off'],
  [false, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, 'implied'],
  [false, { OTEL_TRACES_EXPORTER: 'none' }, 'off'],
  [false, { OTEL_SERVICE_NAME: 'mine' }, 'off'],
])('configured %s with %o is %s', (configured, env, wish) => {
  expect(wishOf(configured, env)).toBe(wish)
})
