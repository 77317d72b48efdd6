import type { Need, Seen } from '../../kernel/care/inbox.ts'
import { quoted } from '../../kernel/text/shell-word.ts'

/** A need before it is said whose it is. */
export type Found = Omit<Need, 'session' | 'name' | 'age_ms'>

/** A session under a name, at a moment. */
export interface Looked {
  readonly seen: Seen
  readonly name: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A command line for this session. */
export const command = ({ name }: Looked, ...words: readonly string[]): string =>
  ['steadfold', ...words.map(quoted), '--session', quoted(name)].join(' ')

export const timeOf = (ms: number): string => new Date(ms).toISOString()
