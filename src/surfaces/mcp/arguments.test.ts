import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../../kernel/error.ts'
import { sharedFor, split, type Use } from './arguments.ts'
import { pageOf, placeOf } from './pages.ts'
import { parseUri, uriOf } from './uris.ts'

const USES: readonly Use[] = ['view', 'read', 'list', 'write']

function codeOf(task: () => unknown): string {
  try {
    task()
  } catch (error) {
    if (error instanceof EngineError) return `${error.code}: ${error.message}; ${error.hint ?? ''}`
    throw error
  }
  return 'nothing was thrown'
}

describe('arguments', () => {
  test('A1: a name that nobody knows is refused with those that there are', () => {
    for (const use of USES)
      expect(codeOf(() => split({ titel: 'x' }, use, ['title']))).toMatch(/INPUT_INVALID: .*titel.*title/)
  })

  test('what is shared goes one way, the input of the operation the other', () => {
    const { shared, input } = split({ title: 'x', session: 's', expected_seq: 3 }, 'write', ['title'])
    expect({ shared, input }).toEqual({ shared: { session: 's', expected_seq: 3 }, input: { title: 'x' } })
  })

  test('one of the wrong type is refused by name', () => {
    expect(codeOf(() => split({ expected_seq: 'seven' }, 'write', []))).toMatch(/INPUT_INVALID: expected_seq/)
  })

  test('an agent speaks for itself, not for a person', () => {
    expect(codeOf(() => split({ actor: 'human:ann' }, 'write', []))).toMatch(/INPUT_INVALID: .*agent:NAME/)
    expect(codeOf(() => split({ actor: 'worker' }, 'write', []))).toMatch(/INPUT_INVALID/)
    expect(split({ actor: 'agent:worker' }, 'write', []).shared).toEqual({ actor: 'agent:worker' })
  })

  test('no use takes the arguments of another', () => {
    expect(sharedFor('write')).not.toContain('at')
    expect(sharedFor('list')).not.toContain('expected_seq')
  })
})

describe('pages', () => {
  test('P1: all pages together are the list, each at the commit of the first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.nat(1_000_000), fc.integer({ min: 1, max: 20 }), (all, seq, size) => {
        const seen: unknown[] = []
        let place = { seq, from: 0 }
        for (;;) {
          const { items, total, next_cursor } = pageOf(all, place, size)
          seen.push(...items)
          expect(total).toBe(all.length)
          if (next_cursor === undefined) break
          place = placeOf(next_cursor)
          expect(place.seq).toBe(seq)
        }
        expect(seen).toEqual(all)
      }),
    )
  })

  test('P2: a cursor that was not given out is refused', () => {
    for (const text of ['', 'garbage', '12.5', Buffer.from('1.2.3').toString('base64url')])
      expect(codeOf(() => placeOf(text))).toMatch(/INPUT_INVALID/)
  })
})

describe('addresses of resources', () => {
  test('a session may have any name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (session) => {
        expect(parseUri(uriOf(session, 'tasks'))).toEqual({ kind: 'tasks', session })
        expect(parseUri(uriOf(session, 'session'))).toEqual({ kind: 'session', session })
      }),
    )
  })

  test.each([
    ['steadfold://sessions/b/state', { kind: 'state', session: 'b', parts: [] }],
    ['steadfold://sessions/b/state/data/topic', { kind: 'state', session: 'b', parts: ['data', 'topic'] }],
    ['steadfold://sessions/b/events/12', { kind: 'events', session: 'b', after: 12 }],
    ['steadfold://sessions/b/unread/ann', { kind: 'unread', session: 'b', agent: 'ann' }],
    ['steadfold://inbox', { kind: 'inbox' }],
  ])('%s', (uri, found) => expect(parseUri(uri)).toEqual(found))

  test.each([
    '',
    'x',
    'steadfold://',
    'steadfold://sessions',
    'steadfold://sessions/',
    'steadfold://sessions/b/other',
    'steadfold://sessions/b/tasks/1',
    'steadfold://sessions/b/events/x',
    'http://sessions/b',
  ])('there is nothing at %j', (uri) => expect(() => parseUri(uri)).toThrow('there is no resource'))
})
