import * as z from 'zod/mini'
import { accept, refuse, type Refusal } from '../../kernel/decision.ts'
import { EngineError } from '../../kernel/error.ts'
import { toldOf } from '../../kernel/history/blame.ts'
import { canonicalJson } from '../../kernel/json/json.ts'
import { isMembers } from '../../kernel/json/members.ts'
import { readOperation, writeOperation } from '../../kernel/operation/operation.ts'
import { formatPath, getAt, parsePath, type Keys } from '../../kernel/path/path.ts'
import type { Tree } from '../../kernel/state/module.ts'
import { cachedByText } from '../../kernel/text/cache.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { decidePatch } from './decide-patch.ts'
import { patchSchema } from './patch.ts'

const path = z.string().check(z.minLength(1), z.maxLength(4096))
const MOST_PATHS = 10_000

export const dataOperations = [
  writeOperation({
    name: 'state.set',
    summary: 'Set the value at a path below $.data',
    input: () => z.object({ path, value: z.unknown() }),
    positional: ['path', 'value'],
    decide: (state, { path, value }) => {
      if (value === undefined)
        return refuse('VALUE_NOT_JSON', 'state.set needs a value', {
          hint: 'null is a value; state.delete removes one',
        })
      const target = writable(state, path)
      if (target.kind === 'refused') return target
      return noList(state, target.keys) ?? accept({ type: 'data.set', data: { path: target.path, value } })
    },
  }),
  writeOperation({
    name: 'state.delete',
    summary: 'Delete what is at a path below $.data',
    input: () => z.object({ path }),
    positional: ['path'],
    decide: (state, { path }) => {
      const target = writable(state, path)
      if (target.kind === 'refused') return target
      if (getAt(state, parsePath(path)) === undefined) return accept()
      return accept({ type: 'data.deleted', data: { path: target.path } })
    },
  }),
  writeOperation({
    name: 'state.patch',
    summary: 'Change many places below $.data at once: an RFC 6902 patch, whole or not at all',
    input: () => z.object({ patch: patchSchema() }),
    positional: ['patch'],
    decide: decidePatch,
  }),
  readOperation({
    name: 'state.get',
    summary: 'The value at a path of the document, or the whole document',
    input: () => z.object({ path: z._default(path, '$') }),
    positional: ['path'],
    look: async (history, { path }) => {
      // A query is refused here: it goes to state.query.
      parsePath(path)
      return (await history.bulk([path]))[path]
    },
  }),
  readOperation({
    name: 'state.bulk',
    summary: 'What is at many paths at the same commit; for a query, the list of what it finds',
    input: () => z.object({ paths: z.array(path).check(z.minLength(1), z.maxLength(MOST_PATHS)) }),
    positional: ['paths'],
    look: async (history, { paths }) => bulkOf(await history.bulk(paths)),
  }),
  readOperation({
    name: 'state.query',
    summary: 'The values an RFC 9535 JSONPath finds',
    input: () => z.object({ query: path, paths: z._default(z.boolean(), false) }),
    positional: ['query'],
    look: async (history, { query, paths }) => {
      const nodes = await history.nodes(query)
      return nodes.map((node) => (paths ? { path: formatPath(node.path), value: node.value } : node.value))
    },
  }),
  readOperation({
    name: 'state.test',
    summary: 'Refused unless a JSONPath finds something, or finds only this value',
    input: () => z.object({ query: path, equals: z.optional(z.unknown()), not: z._default(z.boolean(), false) }),
    positional: ['query'],
    look: async (history, { query, equals, not }) => holds(await history.nodes(query), { query, equals, not }),
  }),
  readOperation({
    name: 'state.history',
    summary: 'Every value a path had, oldest first',
    input: () => z.object({ path }),
    positional: ['path'],
    look: (history, { path }) => toldOf(history.values(path)),
  }),
]

/** JSON has no place for what is not there: it is named beside. */
function bulkOf(values: Readonly<Record<string, unknown>>) {
  const there = Object.entries(values).filter(([, value]) => value !== undefined)
  const missing = Object.keys(values).filter((each) => values[each] === undefined)
  return { values: Object.fromEntries(there), missing }
}

interface Predicate {
  readonly query: string
  readonly equals?: unknown
  readonly not: boolean
}

function holds(
  nodes: readonly { readonly value: unknown }[],
  { query, equals, not }: Predicate,
): { readonly found: number } {
  const wanted = equals === undefined ? undefined : canonicalJson(equals)
  const held = nodes.length > 0 && nodes.every(({ value }) => wanted === undefined || canonicalJson(value) === wanted)
  if (held !== not) return { found: nodes.length }
  const found =
    nodes.length === 0
      ? 'nothing is there'
      : `${nodes.length} found, the first is ${(JSON.stringify(nodes[0]?.value) ?? '').slice(0, 80)}`
  const claim = `${query}${equals === undefined ? '' : ` equals ${JSON.stringify(equals)}`}`
  throw new EngineError('TEST_FAILED', `${not ? 'not ' : ''}${claim} does not hold: ${found}`, {
    hint: 'read the state again, then decide again',
    details: { found: nodes.length },
  })
}

/** Paths that this process writes; of what others write none is put in this form. */
const REMEMBERED = 2048
const normalPath = cachedByText(REMEMBERED, (path) => formatPath(parsePath(path)))

type Target = { readonly kind: 'writable'; readonly path: string; readonly keys: Keys } | Refusal

/** T1, and no list or object is made inside a scalar. */
export function writable(state: Readonly<Tree>, path: string): Target {
  const keys = parsePath(path)
  const normal = normalPath(path)
  if (keys[0] !== 'data' || keys.length < 2) {
    return refuse('PATH_NOT_WRITABLE', `${normal} cannot be set: only paths below $.data are free to write`, {
      hint:
        keys.length === 0 || keys[0] === 'data'
          ? 'name a member: $.data.topic'
          : `use $.data.${keys.join('.')}, or the operation that owns ${normal}`,
    })
  }
  return inTheWay(state, keys) ?? { kind: 'writable', path: normal, keys }
}

function inTheWay(state: Readonly<Tree>, keys: Keys): Refusal | undefined {
  let value: unknown = state['data']
  for (let length = 2; length < keys.length && value !== undefined; length++) {
    value = step(value, keys[length - 1] ?? '')
    if (value === undefined || isMembers(value)) continue
    const refusal = misfit(value, keys[length] ?? '', formatPath(keys.slice(0, length)))
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** What is set at a path is found there: an index means a place in a list, and a set makes objects alone. */
function noList(state: Readonly<Tree>, keys: Keys): Refusal | undefined {
  const at = keys.findIndex((key, i) => typeof key === 'number' && !Array.isArray(getAt(state, keys.slice(0, i))))
  if (at < 0) return undefined
  const [before, key] = [keys.slice(0, at), String(keys[at])]
  const where = formatPath(before)
  const isThere = at === 1 || getAt(state, before) !== undefined
  const member = `for a member of that name write ${formatPath([...before, key])}`
  return refuse('PATH_NOT_WRITABLE', `${where} is no list${isThere ? '' : ' yet'}, so [${key}] is no place in it`, {
    hint: isThere ? member : `steadfold state set ${quoted(where)} '[]' begins a list; ${member}`,
  })
}

const step = (value: unknown, key: string | number): unknown =>
  isMembers(value) ? (Object.hasOwn(value, key) ? value[key] : undefined) : getAt(value, [key])

function misfit(value: unknown, key: string | number, where: string): Refusal | undefined {
  if (typeof value !== 'object' || value === null) {
    return refuse(
      'PATH_NOT_WRITABLE',
      `${where} holds ${JSON.stringify(value)?.slice(0, 60) ?? 'nothing'}, which has no members`,
      {
        hint: `delete it first: steadfold state delete ${quoted(where)}`,
      },
    )
  }
  if (!Array.isArray(value) || (typeof key === 'number' && key >= 0 && key <= value.length)) return undefined
  return refuse('PATH_NOT_WRITABLE', `${where} is a list of ${value.length}; "${key}" is no place in it`, {
    hint: `use an index from 0 to ${value.length}`,
  })
}
