import { posix } from 'node:path'
import { mentions } from './imports.ts'

/** File -> source. */
type Sources = ReadonlyMap<string, string>

/**
 * Files that lead back to themselves by what they import, types and what is loaded on use included: each such way once, from
 * file to file. Who reads one of them has to read all of them. The lint rule for it, import/no-cycle, passes over what is loaded on
 * use.
 */
export function circles(sources: Sources): readonly string[] {
  const arrows = new Map([...sources].map(([file, text]) => [file, leadsTo(file, text, sources)]))
  const done = new Set<string>()
  const found: string[] = []
  const follow = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file)
    if (at !== -1) found.push([...way.slice(at), file].join(' -> '))
    if (at !== -1 || done.has(file)) return
    for (const next of arrows.get(file) ?? []) follow(next, [...way, file])
    done.add(file)
  }
  for (const file of sources.keys()) follow(file, [])
  return found
}

function leadsTo(file: string, text: string, sources: Sources): readonly string[] {
  return mentions(file, text)
    .map(({ specifier = '' }) => posix.join(file, '..', specifier))
    .filter((target) => sources.has(target))
}
