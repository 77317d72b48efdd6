/*
 * json-p3's parse tree as closures.
 *
 *   $.tasks[?@.open]..id     name(tasks) ─► filter ─► descendants ─► name(id) ─► collect
 *
 * Each closure knows the next one and calls it for every value it selects, in order. The lists of nodes between two
 * segments, which RFC 9535 speaks of, are never made; the order of the results is the same.
 */
import { type JSONPathQuery, jsonpath, TokenKind } from 'json-p3'
import { compileTest } from './filter.ts'
import { Node, type Visit } from './node.ts'
import { sliceIndices } from './slice.ts'

type Segment = JSONPathQuery['segments'][number]
type Selector = Segment['selectors'][number]
type Members = Readonly<Record<string, unknown>>

const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } = jsonpath.selectors

/** Visits what `query` selects below the value it is given, and hands each on to `last`. */
export const compileSegments = (query: JSONPathQuery, last: Visit): Visit =>
  query.segments.reduceRight((next, segment) => compileSegment(segment, next), last)

function compileSegment(segment: Segment, next: Visit): Visit {
  const select = inOrder(segment.selectors.map((selector) => compileSelector(selector, next)))
  return segment.token.kind === TokenKind.DDOT ? descendants(select) : select
}

function inOrder(visits: readonly Visit[]): Visit {
  const [only] = visits
  if (only !== undefined && visits.length === 1) return only
  return (node, root, found) => {
    for (const visit of visits) visit(node, root, found)
  }
}

function compileSelector(selector: Selector, next: Visit): Visit {
  if (selector instanceof NameSelector) return selectName(selector.name, next)
  if (selector instanceof IndexSelector) return selectIndex(selector.index, next)
  if (selector instanceof WildcardSelector) return selectChildren(next)
  if (selector instanceof SliceSelector) return selectSlice(selector, next)
  if (selector instanceof FilterSelector) return selectMatches(selector, next)
  throw new TypeError(`RFC 9535 has no selector ${String(selector)}`)
}

function selectName(name: string, next: Visit): Visit {
  return (node, root, found) => {
    const { value } = node
    if (!isMembers(value) || !Object.hasOwn(value, name)) return
    next(new Node(value[name], node, name), root, found)
  }
}

function selectIndex(index: number, next: Visit): Visit {
  return (node, root, found) => {
    const { value } = node
    if (!Array.isArray(value)) return
    const key = index < 0 ? value.length + index : index
    if (key >= 0 && key < value.length) next(new Node(value[key], node, key), root, found)
  }
}

function selectSlice(slice: jsonpath.selectors.SliceSelector, next: Visit): Visit {
  return (node, root, found) => {
    const { value } = node
    if (!Array.isArray(value)) return
    for (const key of sliceIndices(slice, value.length)) next(new Node(value[key], node, key), root, found)
  }
}

function selectChildren(next: Visit): Visit {
  return (node, root, found) => {
    const { value } = node
    if (Array.isArray(value)) {
      for (let key = 0; key < value.length; key++) next(new Node(value[key], node, key), root, found)
    } else if (isMembers(value)) {
      for (const key of Object.keys(value)) next(new Node(value[key], node, key), root, found)
    }
  }
}

function selectMatches(selector: jsonpath.selectors.FilterSelector, next: Visit): Visit {
  const test = compileTest(selector.expression, compileSegments)
  return (node, root, found) => {
    const { value } = node
    if (Array.isArray(value)) {
      for (let key = 0; key < value.length; key++) {
        if (test(value[key], root)) next(new Node(value[key], node, key), root, found)
      }
    } else if (isMembers(value)) {
      for (const key of Object.keys(value)) {
        if (test(value[key], root)) next(new Node(value[key], node, key), root, found)
      }
    }
  }
}

/** The value itself, then everything below it, parents before children. */
function descendants(select: Visit): Visit {
  const below = selectChildren(descend)
  function descend(node: Node, root: unknown, found: Node[]): void {
    if (typeof node.value !== 'object' || node.value === null) return
    select(node, root, found)
    below(node, root, found)
  }
  return descend
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
