import { expect, test } from 'vitest'
import { addressOf } from './address.ts'

test.each(['', 'h:abc', 'one:4222,', '50%@h', 'u:50%@h'])('nats://%s is no address, and it is said why', (rest) => {
  expect(() => addressOf(`nats://${rest}`)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
})

test('what is shown comes to the same place in the same way, but for the password', () => {
  const { shown } = addressOf('nats://u:p@one:4222,[::1]:4222?patience=3&namespace=team')
  expect(shown).toBe('nats://u@one:4222,[::1]:4222?namespace=team&patience=3')
})
