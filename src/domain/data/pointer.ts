import { EngineError } from '../../kernel/error.ts'
import { isForbiddenKey } from '../../kernel/path/path.ts'

/** The tokens of an RFC 6901 JSON Pointer: `/data/a~1b/0` gives `data`, `a/b`, `0`. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw new EngineError('PATCH_INVALID', `${JSON.stringify(pointer.slice(0, 200))} is no JSON Pointer`, {
      hint: 'begin with /, and write ~ as ~0 and / inside a key as ~1: /data/topic',
    })
  }
  const tokens = pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const forbidden = tokens.find(isForbiddenKey)
  if (forbidden !== undefined)
    throw new EngineError('KEY_FORBIDDEN', `"${forbidden}" is never stored as a key`, { hint: 'choose another key' })
  return tokens
}

/** The index a token names in a list; undefined when it is none (RFC 6901 section 4: no leading zeros). */
export const indexOf = (token: string): number | undefined =>
  /^(0|[1-9]\d{0,15})$/.test(token) ? Number(token) : undefined
