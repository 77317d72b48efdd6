import { posix } from 'node:path'
import { mentions } from './imports.ts'

interface Floors {
  /** Each stands on those before it. */
  readonly folders: readonly string[]
  /** Files beside them: known to all, and some stand on all. */
  readonly beside: readonly string[]
}

const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '))

/** Of layers that have folders. ARCHITECTURE.md has the same. */
export const FLOORS: Readonly<Record<string, Floors>> = {
  'src/kernel/': {
    folders: words('text path json log redact state replica document history operation care exchange work'),
    beside: words(
      'error.ts system-error.ts decision.ts arguments.ts health.ts home.ts in-turn.ts ports.ts log-facts.ts database.ts observer.ts kernel.ts',
      'session.ts reading.ts about-session.ts create-session.ts names.ts finding.ts workspace.ts belonging.ts',
    ),
  },
  'src/surfaces/cli/': {
    folders: words('show context syntax process answer hook agents commands table parse'),
    beside: [],
  },
}

/** A file's place among them: its floor, 'beside' them, or -1; undefined where its layer has none. */
function placeOf(file: string): { readonly layer: string; readonly floor: number | 'beside' } | undefined {
  for (const [layer, { folders, beside }] of Object.entries(FLOORS)) {
    if (!file.startsWith(layer)) continue
    const [first = ''] = file.slice(layer.length).split('/')
    return { layer, floor: beside.includes(first) ? 'beside' : folders.indexOf(first) }
  }
  return undefined
}

/** What is wrong with where a file stands, and with what it imports of its own layer. */
export function* outOfPlace(file: string, text: string): Generator<string> {
  const own = placeOf(file)
  if (own === undefined || own.floor === 'beside') return
  if (own.floor === -1) yield 'stands on no floor of its layer'
  for (const { specifier = '' } of mentions(file, text)) {
    const target = posix.join(file, '..', specifier)
    const other = placeOf(target)
    if (other?.layer === own.layer && other.floor !== 'beside' && other.floor > own.floor)
      yield `imports ${target}, which stands above it`
  }
}
