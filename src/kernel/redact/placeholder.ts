/* What stands where a secret was: `[redacted:github-token]`. */
import { isStorableKey } from '../json/rules.ts'

/** Whether all of it was taken out. */
export const isPlaceholder = (text: string): boolean => /^\[redacted:[\w-]+\]$/.test(text)

/** Whether something may be called so, and found again: with a secret taken out of both, two names would be one. */
export const mayName = (text: unknown): boolean =>
  typeof text === 'string' && isStorableKey(text) && !/\[redacted:[\w-]+\]/.test(text)
