import { expect, test } from 'vitest'
import { shownUrl } from './shown-url.ts'

test.each([
  ['git:https://ana:secret@example.org/x.git', 'git:https://example.org/x.git'],
  ['https://token@example.org/x?a=b@c', 'https://example.org/x?a=b@c'],
  [
    'cannot reach ssh://git:pa@ss@example.org:22/x, nor https://a:b@c/d',
    'cannot reach ssh://git@example.org:22/x, nor https://c/d',
  ],
  ['ssh://git@example.org/x', 'ssh://git@example.org/x'],
  ['git@example.org:me/app.git', 'git@example.org:me/app.git'],
  ['/a/path:with@signs', '/a/path:with@signs'],
])('%s is shown as %s', (text, shown) => {
  expect(shownUrl(text)).toBe(shown)
})
