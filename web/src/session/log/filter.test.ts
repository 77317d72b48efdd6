import { expect, test } from 'vitest'
import { commandOf, filterOf, isEmpty } from './filter.ts'

const NONE = { op: [], actor: [], type: [], since: undefined, until: undefined }

test.each([
  ['', NONE],
  ['state.*', { ...NONE, op: ['state.*'] }],
  ['--op state.* --actor ada', { ...NONE, op: ['state.*'], actor: ['ada'] }],
  ['op:state.set type=data.set', { ...NONE, op: ['state.set'], type: ['data.set'] }],
  ['actor:agent:ada actor:human:you', { ...NONE, actor: ['agent:ada', 'human:you'] }],
  ['--since 2h until:draft', { ...NONE, since: '2h', until: 'draft' }],
  ['--since', NONE],
  ['op:', NONE],
  ['actor', { ...NONE, op: ['actor'] }],
  ['--nothing', { ...NONE, op: ['--nothing'] }],
])('%j is read in the words of the command line', (text, filter) => {
  expect(filterOf(text)).toEqual(filter)
})

test('the command says the same again', () => {
  const filter = filterOf('op:step.* actor:ada since:2h')
  expect(commandOf('my build', filter)).toBe(`steadfold log --session 'my build' --op 'step.*' --actor ada --since 2h`)
  expect(isEmpty(filter)).toBe(false)
  expect(isEmpty(filterOf(' '))).toBe(true)
})
