import { EngineError } from '../error.ts'
import { whole } from '../text/whole.ts'
import { formatPath, getAt, parsePath } from './path.ts'

const MOST_NAMES = 12
const MOST_CHARACTERS = 60

/** PATH_NOT_FOUND: says how far the path goes in `root`, and what there is; `next` names what shows the deepest place. */
export function nothingAt(root: unknown, path: string, next: (deepest: string) => string): EngineError {
  const keys = parsePath(path)
  let depth = 0
  while (depth < keys.length && getAt(root, keys.slice(0, depth + 1)) !== undefined) depth++
  const deepest = formatPath(keys.slice(0, depth))
  const message = `there is nothing at ${formatPath(keys)}\n${deepest} ${heldBy(getAt(root, keys.slice(0, depth)))}`
  return new EngineError('PATH_NOT_FOUND', message, {
    hint: next(deepest),
    details: { path: formatPath(keys), deepest },
  })
}

function heldBy(value: unknown): string {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (names.length === 0) return `is ${whole(JSON.stringify(value) ?? 'nothing', MOST_CHARACTERS)}`
  return `has ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`
}
