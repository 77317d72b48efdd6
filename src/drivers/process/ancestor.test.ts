import { expect, test } from 'vitest'
import { isCalled } from './ancestor.ts'

test.each<[string, readonly string[], boolean]>([
  ['claude', ['claude'], true],
  ['claude', ['/home/a/.local/bin/claude', '-p', 'x'], true],
  ['claude', ['node', '--no-warnings', '/usr/local/bin/claude'], true],
  ['claude', ['/usr/bin/node', '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'], true],
  ['gemini', ['node', '/usr/lib/node_modules/@google/gemini-cli/dist/index.js'], true],
  ['codex', ['/opt/codex/codex', 'exec'], true],
  ['opencode', ['bun', 'opencode.js'], true],
  // T1 wrappers, gone at once.
  ['claude', ['sh', '-c', 'steadfold hook claude'], false],
  ['claude', ['/bin/sh', '/p/bin/steadfold', 'hook', 'claude'], false],
  ['claude', ['node', '/usr/bin/npx', 'steadfold', 'hook', 'claude'], false],
  ['claude', ['npm exec steadfold hook claude'], false],
  ['claude', ['node', '/home/claude/node_modules/.bin/steadfold', 'hook', 'claude'], false],
  ['codex', ['claude'], false],
  ['claude', [''], false],
])('T1 %s is told by %j: %s', (name, words, isIt) => {
  expect(isCalled(name, words)).toBe(isIt)
})
