import type { Settings } from '../kernel.ts'

/** A limit that is near, or passed. */
export interface Near {
  readonly limit: 'state size' | 'commits' | 'blob size'
  readonly used: number
  readonly most: number
}

const WARN_AT = 0.8

export function nearLimits(
  { maxStateBytes, maxCommits, maxBlobBytes }: Settings,
  used: { readonly state: number; readonly commits: number; readonly blob: number },
): readonly Near[] {
  const all: readonly Near[] = [
    { limit: 'state size', used: used.state, most: maxStateBytes },
    { limit: 'commits', used: used.commits, most: maxCommits },
    { limit: 'blob size', used: used.blob, most: maxBlobBytes },
  ]
  return all.filter((each) => each.used >= each.most * WARN_AT)
}
