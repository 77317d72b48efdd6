import { expect, test } from 'vitest'
import { begin } from '../../../test/domain/begin.ts'

test.each([
  [
    '$.data.none[0]',
    '$.data.none is no list yet, so [0] is no place in it',
    /^steadfold state set '\$\.data\.none' '\[\]' /,
  ],
  [
    '$.data.object[1]',
    '$.data.object is no list, so [1] is no place in it',
    /^for a member .* \$\.data\.object\['1'\]$/,
  ],
  ['$.data[0]', '$.data is no list, so [0] is no place in it', /^for a member .* \$\.data\['0'\]$/],
  ['$.data.list[1].none[0]', '$.data.list[1].none is no list yet, so [0] is no place in it', /begins a list/],
])('an index is no name of a member: %s is not set, for it would not be found there', async (path, message, hint) => {
  const { session } = await begin()
  await session.run('state.set', { path: '$.data.object', value: { a: 1 } })
  await session.run('state.set', { path: '$.data.list', value: [1] })
  const before = structuredClone(session.stored)
  expect(await session.run('state.set', { path, value: 'x' })).toMatchObject({
    kind: 'refused',
    code: 'PATH_NOT_WRITABLE',
    message,
    hint: expect.stringMatching(hint),
  })
  expect(session.stored).toEqual(before)
})

test('what is set at a path is found there, also behind the end of a list and on the way to it', async () => {
  const { session } = await begin()
  await session.run('state.set', { path: '$.data.list', value: [] })
  for (const path of ['$.data.list[0]', '$.data.list[1].a.b', "$.data.object['0'].c"]) {
    expect(await session.run('state.set', { path, value: path })).toMatchObject({ kind: 'accepted' })
    expect(session.get(path)).toBe(path)
  }
  expect(await session.run('state.delete', { path: '$.data.none[0]' })).toMatchObject({ kind: 'accepted', events: [] })
})

test('a hint is a command, whatever is in the path', async () => {
  const { session } = await begin()
  await session.run('state.set', { path: "$.data['a b']", value: 'text' })
  expect(await session.run('state.set', { path: "$.data['a b'].c", value: 1 })).toMatchObject({
    hint: "delete it first: steadfold state delete '$.data['\\''a b'\\'']'",
  })
  expect(await session.run('state.set', { path: "$.data['c d'][0]", value: 1 })).toMatchObject({
    hint: expect.stringContaining("steadfold state set '$.data['\\''c d'\\'']' '[]' begins a list"),
  })
})
