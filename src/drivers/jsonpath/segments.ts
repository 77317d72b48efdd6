/*
 * json-p3's parse tree as closures.
 *
 *   $.tasks[?@.open]..id     name(tasks) ─► filter ─► descendants ─► name(id) ─► take
 *
 * Each closure knows the next one and calls it for every value it selects, in order. The lists of nodes between two
 * segments, which RFC 9535 speaks of, are never made; the order of the results is the same.
 * Only values that something is selected below become nodes; what the last closure takes is up to the run.
 */
import { type JSONPathQuery, JSONPathSyntaxError, jsonpath, TokenKind } from 'json-p3'
import { isMembers } from '../../kernel/json/members.ts'
import { compileTest } from './filter.ts'
import { Node, take, type Visit } from './node.ts'
import { sliceIndices } from './slice.ts'

type Segment = JSONPathQuery['segments'][number]
type Selector = Segment['selectors'][number]
const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } = jsonpath.selectors

/** Takes what `query` selects below the value it is given. */
export const compileSegments = (query: JSONPathQuery): Visit =>
  query.segments.reduceRight((next, segment) => compileSegment(segment, next), take)

function compileSegment(segment: Segment, next: Visit): Visit {
  const select = inOrder(segment.selectors.map((selector) => compileSelector(selector, next)))
  return segment.token.kind === TokenKind.DDOT ? descendants(select) : select
}

function inOrder(visits: readonly Visit[]): Visit {
  const [only] = visits
  if (only !== undefined && visits.length === 1) return only
  return (value, parent, key, run) => {
    for (const visit of visits) visit(value, parent, key, run)
  }
}

function compileSelector(selector: Selector, next: Visit): Visit {
  if (selector instanceof NameSelector) return selectName(selector.name, next)
  if (selector instanceof IndexSelector) return selectIndex(selector.index, next)
  if (selector instanceof WildcardSelector) return selectChildren(next)
  if (selector instanceof SliceSelector) return selectSlice(selector, next)
  if (selector instanceof FilterSelector) return selectMatches(selector, next)
  throw new JSONPathSyntaxError(`${String(selector)} is not a selector`, selector.token)
}

function selectName(name: string, next: Visit): Visit {
  return (value, parent, key, run) => {
    if (!isMembers(value) || !Object.hasOwn(value, name)) return
    next(value[name], new Node(value, parent, key), name, run)
  }
}

function selectIndex(index: number, next: Visit): Visit {
  return (value, parent, key, run) => {
    if (!Array.isArray(value)) return
    const at = index < 0 ? value.length + index : index
    if (at >= 0 && at < value.length) next(value[at], new Node(value, parent, key), at, run)
  }
}

function selectSlice(slice: jsonpath.selectors.SliceSelector, next: Visit): Visit {
  return (value, parent, key, run) => {
    if (!Array.isArray(value)) return
    const node = new Node(value, parent, key)
    for (const at of sliceIndices(slice, value.length)) next(value[at], node, at, run)
  }
}

function selectChildren(next: Visit): Visit {
  return (value, parent, key, run) => {
    if (Array.isArray(value)) {
      const node = new Node(value, parent, key)
      for (let at = 0; at < value.length; at++) next(value[at], node, at, run)
    } else if (isMembers(value)) {
      const node = new Node(value, parent, key)
      for (const name of Object.keys(value)) next(value[name], node, name, run)
    }
  }
}

function selectMatches(selector: jsonpath.selectors.FilterSelector, next: Visit): Visit {
  const test = compileTest(selector.expression, compileSegments)
  return (value, parent, key, run) => {
    const { root } = run
    if (Array.isArray(value)) {
      const node = new Node(value, parent, key)
      for (let at = 0; at < value.length; at++) if (test(value[at], root)) next(value[at], node, at, run)
    } else if (isMembers(value)) {
      const node = new Node(value, parent, key)
      for (const name of Object.keys(value)) if (test(value[name], root)) next(value[name], node, name, run)
    }
  }
}

/** The value itself, then everything below it, parents before children. */
function descendants(select: Visit): Visit {
  const descend: Visit = (value, parent, key, run) => {
    if (typeof value !== 'object' || value === null) return
    select(value, parent, key, run)
    below(value, parent, key, run)
  }
  const below = selectChildren(descend)
  return descend
}
