import fc from 'fast-check'
import oracle, { type Operation as OracleOperation } from 'fast-json-patch'
import { describe, expect, test } from 'vitest'
import { memoryKernel, makeWorkspace } from '../../compose.ts'
import { EngineError } from '../../kernel/error.ts'
import { applyPatch, type PatchOperation } from './patch.ts'

const codeOf = (task: () => unknown): string => {
  try {
    task()
    return 'done'
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error)
  }
}

/** Document, patch, what comes of it: the examples of RFC 6902 appendix A, and the edges between its sentences. */
const CASES: readonly (readonly [string, unknown, readonly PatchOperation[], unknown])[] = [
  ['A.1 a member is added', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
  [
    'A.2 an item is inserted',
    { foo: ['bar', 'baz'] },
    [{ op: 'add', path: '/foo/1', value: 'qux' }],
    { foo: ['bar', 'qux', 'baz'] },
  ],
  ['A.3 a member is removed', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
  [
    'A.4 an item is removed',
    { foo: ['bar', 'qux', 'baz'] },
    [{ op: 'remove', path: '/foo/1' }],
    { foo: ['bar', 'baz'] },
  ],
  [
    'A.5 a value is replaced',
    { baz: 'qux', foo: 'bar' },
    [{ op: 'replace', path: '/baz', value: 'boo' }],
    { baz: 'boo', foo: 'bar' },
  ],
  [
    'A.6 a value is moved',
    { foo: { bar: 1, waldo: 'fred' }, qux: {} },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 1 }, qux: { thud: 'fred' } },
  ],
  [
    'A.7 an item is moved',
    { foo: ['all', 'grass', 'cows', 'eat'] },
    [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    { foo: ['all', 'cows', 'eat', 'grass'] },
  ],
  [
    'a copy is apart from what it was made of',
    { a: { b: 1 } },
    [
      { op: 'add', path: '/a/c', value: [] },
      { op: 'copy', from: '/a', path: '/d' },
      { op: 'add', path: '/a/c/-', value: 2 },
      { op: 'remove', path: '/d/b' },
    ],
    { a: { b: 1, c: [2] }, d: { c: [] } },
  ],
  [
    'A.8 a test that holds',
    { baz: 'qux', foo: ['a', 2, 'c'] },
    [{ op: 'test', path: '/foo/1', value: 2 }],
    { baz: 'qux', foo: ['a', 2, 'c'] },
  ],
  [
    'A.10 an object is added',
    { foo: 'bar' },
    [{ op: 'add', path: '/child', value: { grandchild: {} } }],
    { foo: 'bar', child: { grandchild: {} } },
  ],
  ['A.14 keys with ~', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  [
    'A.16 a list is added to a list',
    { foo: ['bar'] },
    [{ op: 'add', path: '/foo/-', value: ['abc'] }],
    { foo: ['bar', ['abc']] },
  ],
  ['an added member takes the place of one', { a: 1 }, [{ op: 'add', path: '/a', value: null }], { a: null }],
  [
    'a copy is no link',
    { a: [1] },
    [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/-', value: 2 },
    ],
    { a: [1, 2], b: [1] },
  ],
  ['a value moved onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['an empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
]

const REFUSED: readonly (readonly [string, unknown, readonly PatchOperation[], string])[] = [
  ['A.9 a test that fails', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], 'TEST_FAILED'],
  ['A.12 a parent that is not there', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }], 'PATCH_INVALID'],
  ['A.15 a string is no number', { '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }], 'TEST_FAILED'],
  ['an index past the end', { a: [1] }, [{ op: 'add', path: '/a/2', value: 2 }], 'PATCH_INVALID'],
  ['an index with a leading zero', { a: [1, 2] }, [{ op: 'remove', path: '/a/01' }], 'PATCH_INVALID'],
  ['- where nothing is', { a: [1] }, [{ op: 'remove', path: '/a/-' }], 'PATCH_INVALID'],
  ['a member that is not there', { a: 1 }, [{ op: 'remove', path: '/b' }], 'PATCH_INVALID'],
  ['a value into itself', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/c' }], 'PATCH_INVALID'],
  ['no value', { a: 1 }, [{ op: 'add', path: '/b' }], 'PATCH_INVALID'],
  ['no from', { a: 1 }, [{ op: 'copy', path: '/b' }], 'PATCH_INVALID'],
  ['no pointer', { a: 1 }, [{ op: 'remove', path: 'a' }], 'PATCH_INVALID'],
  ['a bad escape', { a: 1 }, [{ op: 'remove', path: '/a~2' }], 'PATCH_INVALID'],
  ['a key of a prototype', {}, [{ op: 'add', path: '/__proto__/x', value: 1 }], 'KEY_FORBIDDEN'],
  ['a member of a prototype', {}, [{ op: 'copy', from: '/toString', path: '/x' }], 'PATCH_INVALID'],
]

describe('RFC 6902', () => {
  test.each(CASES)('%s', (_, document, patch, wanted) => {
    const before = structuredClone(document)
    expect(applyPatch(document, patch)).toEqual(wanted)
    expect(document, 'P1: the document is as it was').toEqual(before)
  })

  test.each(REFUSED)('P3: refused: %s', (_, document, patch, code) => {
    expect(codeOf(() => applyPatch(document, patch))).toBe(code)
  })

  test('P1, P2: any patch gives what fast-json-patch gives, or both refuse it', () => {
    const key = fc.constantFrom('a', 'a', 'c/d', 'e~f', '0', '0', '-')
    const { tree: document } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ min: 0, max: 3 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    const path = fc
      .array(key, { minLength: 1, maxLength: 3 })
      .map((keys) => keys.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const), path, value: document }),
      fc.record({ op: fc.constant('remove' as const), path }),
      fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), path, from: path }),
    )
    fc.assert(
      fc.property(
        fc.dictionary(key, document, { noNullPrototype: true }),
        fc.array(operation, { maxLength: 12 }),
        (root, patch) => {
          const theirs = tryOracle(root, patch)
          if (theirs !== undefined) expect(tryOurs(root, patch)).toEqual(theirs)
          const [before, whole] = [structuredClone(root), possible(root, patch)]
          expect(applyPatch(root, whole.patch)).toEqual(whole.result)
          expect([root, whole.patch], 'P1: neither is changed').toEqual([before, possible(root, patch).patch])
        },
      ),
      { numRuns: 3000 },
    )
  })
})

/** The operations that can be done one after the other, and what comes of them. */
function possible(root: unknown, patch: readonly PatchOperation[]) {
  const kept: PatchOperation[] = []
  let result = root
  for (const operation of structuredClone(patch)) {
    const tried = tryOracle(result, [operation])
    if (tried === undefined || tried === 'refused') continue
    kept.push(operation)
    result = tried.result
  }
  return { patch: kept, result }
}

type Tried = { readonly result: unknown } | 'refused'

function tryOurs(root: unknown, patch: readonly PatchOperation[]): Tried {
  try {
    return { result: applyPatch(root, patch) }
  } catch (error) {
    if (error instanceof EngineError) return 'refused'
    throw error
  }
}

/** Undefined where the oracle itself is not strict: values moved into themselves. Others are moved as RFC 6902 says, step by step. */
function tryOracle(root: unknown, patch: readonly PatchOperation[]): Tried | undefined {
  if (
    patch.some(
      ({ op, path, from }) => op === 'move' && from !== undefined && (path === from || path.startsWith(`${from}/`)),
    )
  )
    return undefined
  try {
    const copy = structuredClone(root)
    const { newDocument } = oracle.applyPatch(copy, stepByStep(copy, patch), true, true)
    return JSON.stringify(newDocument).includes('null') ? undefined : { result: newDocument }
  } catch {
    return 'refused'
  }
}

/** `copy` and `move` are made of what it checks strictly. */
function stepByStep(root: unknown, patch: readonly PatchOperation[]): OracleOperation[] {
  const steps: OracleOperation[] = []
  for (const { op, path, from = '', value } of patch) {
    // The oracle has the same operations under other types.
    if (op !== 'copy' && op !== 'move') steps.push(structuredClone({ op, path, value }) as OracleOperation)
    else {
      const { newDocument } = oracle.applyPatch(structuredClone(root), structuredClone(steps), true, true)
      const taken: unknown = structuredClone(oracle.getValueByPointer(newDocument, from))
      if (taken === undefined) throw new Error('nothing is there')
      if (op === 'move') steps.push({ op: 'remove', path: from })
      steps.push({ op: 'add', path, value: taken })
    }
  }
  return steps
}

describe('state.patch', () => {
  const begin = async () => makeWorkspace(memoryKernel()).createSession({ name: 'patched' })

  test('T2: a patch is whole or nothing, and replays to the same state', async () => {
    const session = await begin()
    await session.run('state.set', { path: '$.data.list', value: [1, 2, 3, 4] })
    const refused = await session.run('state.patch', {
      patch: [
        { op: 'add', path: '/data/x', value: 1 },
        { op: 'test', path: '/data/x', value: 2 },
      ],
    })
    expect(refused).toMatchObject({ kind: 'refused', code: 'TEST_FAILED' })
    expect(session.get('$.data')).toEqual({ list: [1, 2, 3, 4] })
    const patch = [
      { op: 'remove', path: '/data/list/0' },
      { op: 'remove', path: '/data/list/0' },
      { op: 'add', path: '/data/list/0', value: { a: 1 } },
      { op: 'copy', from: '/session/name', path: '/data/name' },
    ]
    expect(await session.run('state.patch', { patch })).toMatchObject({ kind: 'accepted', seq: 3 })
    expect(session.get('$.data')).toEqual({ list: [{ a: 1 }, 3, 4], name: 'patched' })
    expect(await session.get('$.data', { at: 3 })).toEqual(session.get('$.data'))
  })

  test.each([['/session/name'], ['/data'], ['']])('T1: nothing outside $.data is changed: %s', async (path) => {
    const session = await begin()
    expect(await session.run('state.patch', { patch: [{ op: 'replace', path, value: 1 }] })).toMatchObject({
      kind: 'refused',
      code: 'PATH_NOT_WRITABLE',
    })
  })

  test('T2: the changes of any patch give the patched document', async () => {
    const session = await begin()
    const value = fc
      .json({ maxDepth: 2 })
      .filter((text) => !/__proto__|constructor|prototype/.test(text))
      .map((text): unknown => JSON.parse(text)) // a text has no -0, as a log has none
    const index = fc.integer({ min: 0, max: 3 }).map((n) => `/data/list/${n}`)
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), path: index, value }),
      fc.record({ op: fc.constant('remove' as const), path: index }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 4 }),
        fc.array(operation, { maxLength: 5 }),
        async (list, patch) => {
          expect(await session.run('state.set', { path: '$.data.list', value: list })).toMatchObject({
            kind: 'accepted',
          })
          const wanted = tryOurs({ data: { list } }, patch)
          const answer = await session.run('state.patch', { patch })
          expect(answer.kind).toBe(wanted === 'refused' ? 'refused' : 'accepted')
          if (wanted !== 'refused') expect({ data: session.get('$.data') }).toEqual(wanted.result)
        },
      ),
      { numRuns: 200 },
    )
  })
})
