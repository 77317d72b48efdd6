import { EngineError } from '../error.ts'

/**
 * Hands a list on in parts, in order: at most `most` at a time, and half as many where those are too large for one
 * value or one commit. `at`: the place of the first in the list.
 */
export async function inParts<T>(
  list: readonly T[],
  most: number,
  take: (part: readonly T[], at: number) => Promise<void>,
): Promise<void> {
  let [at, size] = [0, most]
  while (at < list.length) {
    const part = list.slice(at, at + size)
    try {
      await take(part, at)
      at += part.length
    } catch (error) {
      if (part.length === 1 || !isTooLarge(error)) throw error
      size = Math.ceil(part.length / 2)
    }
  }
}

const isTooLarge = (error: unknown): boolean => error instanceof EngineError && error.code === 'VALUE_TOO_LARGE'
