import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathHere, rootsOf } from './roots.ts'

const roots = { before: ['/home/a/src', '/home/a/src/deep', 'C:\\work'], here: '/desk/code' }

test.each([
  ['/home/a/src/x.ts', '/desk/code/x.ts'],
  ['/home/a/src', '/desk/code'],
  ['/home/a/src/deep/x', '/desk/code/x'],
  ['C:\\work\\docs\\a.md', '/desk/code/docs/a.md'],
  ['/home/a/src2/x', '/home/a/src2/x'],
  ['/desk/code/x', '/desk/code/x'],
  ['src/x.ts', 'src/x.ts'],
  ['', ''],
])('%s lies at %s', (path, at) => {
  expect(pathHere(roots, path)).toBe(at)
})

test('a path is mapped once: what lies here stays', () => {
  const path = fc.oneof(fc.stringMatching(/^\/[a-z/]{0,20}$/), fc.stringMatching(/^\/[a/]{0,3}$/))
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), path, path, (before, here, given) => {
      const once = pathHere({ before, here }, given)
      expect(pathHere({ before, here }, once)).toBe(once)
    }),
    { numRuns: 2000 },
  )
})

test('where the project is the whole disk, every path lies in it', () => {
  expect(pathHere({ before: ['/home/a', '///'], here: '/' }, '/home/a/x')).toBe('/home/a/x')
  expect(pathHere({ before: ['///'], here: '/' }, '/////')).toBe('/////')
})

test('of a session that has moved nowhere nothing is mapped', () => {
  const tree = { session: { transport: { owner: null, roots: ['/a'] }, user_context: { workspace_path: '/b' } } }
  expect(rootsOf(tree)).toEqual({ before: ['/a'], here: undefined })
  expect(pathHere(rootsOf(tree), '/a/x')).toBe('/a/x')
  expect(rootsOf({})).toEqual({ before: [], here: undefined })
})
