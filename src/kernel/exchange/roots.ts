/*
 * Paths of a session that has moved. The log keeps what was written on the machine where it was written; whoever reads a path to
 * use it or to show it asks where that lies now.
 */

import type { Tree } from '../state/module.ts'

/** Where the project lay on other machines, and where it lies here. */
export interface Roots {
  readonly before: readonly string[]
  readonly here: string | undefined
}

/** Of what is stored; nothing is mapped before a session has arrived somewhere. */
export function rootsOf({ session }: Readonly<Tree>): Roots {
  const { transport, user_context } = (session ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const before = transport?.['roots']
  const here = transport?.['owner'] == null ? undefined : user_context?.['workspace_path']
  return {
    before: Array.isArray(before) ? before.filter((each) => typeof each === 'string') : [],
    here: typeof here === 'string' ? here : undefined,
  }
}

/** Other paths, relative ones among them, stay as they are. */
export function pathHere({ before, here }: Roots, path: string): string {
  // Where the project is the whole disk, everything lies in it.
  if (here === undefined || here === '/' || restBelow(here, path) !== undefined) return path
  const [nearest] = before
    .map((root) => [root, restBelow(root, path)] as const)
    .filter(([, rest]) => rest !== undefined)
    .toSorted(([a], [b]) => b.length - a.length)
  return nearest?.[1] === undefined ? path : here + nearest[1].replaceAll('\\', '/')
}

/** `/b/c` of `/a/b/c` below `/a`; empty for the root itself; undefined outside of it. */
function restBelow(root: string, path: string): string | undefined {
  const base = root.replace(/[/\\]$/, '')
  if (base === '' || !path.startsWith(base)) return undefined
  const rest = path.slice(base.length)
  return rest === '' || /^[/\\]/.test(rest) ? rest : undefined
}
