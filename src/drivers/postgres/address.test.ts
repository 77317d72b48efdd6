import { expect, test } from 'vitest'
import { addressOf } from './address.ts'

test.each(['o@h:abc/db', 'o:50%@h/db', 'o:a/b@h/db', 'o:a#b@h/db', 'o@h/db%', 'o@h:1,h:x/db'])(
  'postgres://%s is no address, and it is said how one is written',
  (rest) => {
    expect(() => addressOf(`postgres://${rest}`)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', hint: expect.stringContaining('postgres://user@host') }),
    )
  },
)

test.each(['größe x', 'gr%C3%B6%C3%9Fe%20x'])('the database of the address %s is asked for by its name', (name) => {
  expect(addressOf(`postgres://o@h/${name}`).database).toBe('größe x')
})

test.each(['o:p@ss@h', 'o:p@s:s@h', 'o:p%40ss@h'])('nothing of the password of %s is shown', (place) => {
  const { shown, hosts } = addressOf(`postgres://${place}/db?password=ss`)
  expect(shown).toBe('postgres://o@h/db?namespace=default')
  expect(hosts.map(({ host }) => host)).toEqual(['h'])
})

test.each(['channel_binding=require', 'keepalives_idle=30', 'gssencmode=disable', 'sslnegotiation=direct'])(
  '%s is of another client: it is named, and never sent as a setting',
  (part) => {
    const [name] = part.split('=')
    expect(() => addressOf(`postgres://o@h/db?sslmode=require&${part}`)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(`"${name}"`) }),
    )
  },
)

test('what is shown comes to the same place in the same way', () => {
  const { shown } = addressOf('postgres://o:p@h/db?sslmode=disable&namespace=team&patience=3')
  expect(shown).toBe('postgres://o@h/db?namespace=team&sslmode=disable&patience=3')
  expect(addressOf(shown)).toMatchObject({ tls: false, namespace: 'team', patience: { ms: 3000 } })
})
