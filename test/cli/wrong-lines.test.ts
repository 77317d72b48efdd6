/* What is answered to lines that somebody is likely to try. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Place } from './binary.ts'

let place: Place
beforeAll(() => {
  place = new Place()
  place.data('session', 'create', 'main')
})
afterAll(() => place.remove())

function wrong(...args: readonly string[]) {
  const { status, out } = place.run(...args, '--json')
  return { status, ...(JSON.parse(out) as { readonly error: Readonly<Record<string, unknown>> }).error }
}

test('one operation alone is no patch', () => {
  const one = '{"op":"add","path":"/data/x","value":1}'
  const expected = { status: 4, code: 'PATCH_INVALID', hint: expect.stringContaining('[') as unknown }
  expect(wrong('state', 'patch', one)).toMatchObject(expected)
  expect(wrong('state', 'patch', '--file', place.file('one.json', one))).toMatchObject(expected)
  place.data('state', 'patch', `[${one}]`)
})

test('a noun with an unknown verb says which there are', () => {
  expect(wrong('session', 'nope')).toMatchObject({
    status: 64,
    message: expect.stringMatching(/"session nope".*create.*fork/) as unknown,
    hint: 'steadfold session --help',
  })
  expect(wrong('session', 'lst')).toMatchObject({
    status: 64,
    hint: expect.stringMatching(/list.*steadfold session --help/) as unknown,
  })
  expect(wrong('nope')).toMatchObject({ status: 64, message: 'unknown command "nope"' })
})

test.each([['--follow'], ['-f']])('log %s: tail is what follows', (flag) => {
  expect(wrong('log', flag)).toMatchObject({ status: 64, hint: expect.stringContaining('steadfold tail') as unknown })
})
