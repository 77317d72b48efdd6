/* What stands where a secret was: `[redacted:github-token]`. */
import { isStorableKey } from '../json/rules.ts'

/** By the name of the rule that found it. */
export const placeholder = (rule: string): string => `[redacted:${rule}]`

/** Whether all of it was taken out. */
export const isPlaceholder = (text: string): boolean => /^\[redacted:[\w-]+\]$/.test(text)

/** Whether something was taken out of this text. */
export const hasPlaceholder = (text: string): boolean => /\[redacted:[\w-]+\]/.test(text)

/** Whether something may be called so, and found again: with a secret taken out of both, two names would be one. */
export const mayName = (text: unknown): boolean =>
  typeof text === 'string' && isStorableKey(text) && !hasPlaceholder(text)
