/*
 * A command line that is told as the next step, with the workspace and the session that were given: pasted as it stands, it
 * acts on the same. Whoever tells one need not know of either.
 *
 *   steadfold task done t-1, or …   with --session build   →   steadfold task done --session build t-1, or …
 *
 * K1. What a line names itself, stays as it is: --dir, --session, and the session as its own word.
 * K2. The same command again is for the same actor, unless a person is to give it.
 * K3. A line for another machine or for another workspace is told without, and so is one that asks for help.
 */
import { quoted } from './shell-word.ts'

export interface Given {
  readonly dir: string | undefined
  readonly session: string | undefined
  /** The command that was given, and who asked. */
  readonly command?: string | undefined
  readonly as?: string | undefined
}

/** Commands of one word, and nouns all of whose verbs act on the session that is chosen. */
const OF_SESSION = /^(?:blame|diff|health|inbox|log|once|prime|run|show|sql|stats|status|tail|verify|wait|watch)$/
const NOUNS_OF_SESSION =
  /^(?:activity|agent|budget|channel|chat|consent|dependency|epic|handoff|lock|message|output|pool|project|runner|sprint|state|step|supervise|task|team|turn|workflow)$/
const NOT_OF_SESSION = /^chat key$/
const SESSION_VERBS = /^session (?:configure|extend|mark|share|tick|tidy|unmark)$/
/** They take the session as a word: without one they end there, or say what they show. */
const NAMING_VERBS = /^session (?:activate|end|resume|show|suspend)$/
const NAMES_NONE = /^(?:$|[,;]| (?:says|lists|goes)\b)/

/** Of the rest, what looks into the workspace. */
const OF_WORKSPACE = /^(?:doctor|gc|pull|push|recover|repair|rescue|serve|ui)$/
const NOUNS_OF_WORKSPACE = /^(?:bundle|redact|remote|session|teleport)$/
/** K3 */
const ELSEWHERE = /^(?:teleport send\b|push SESSION\b)/

const COMMAND = /\bsteadfold ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g
const REST = /^(?:(?!\bsteadfold )[^;])*/

export function kept(text: string, given: Given): string {
  if ((given.dir ?? given.session ?? given.as) === undefined) return text
  return text.replace(COMMAND, (all: string, first: string, verb: string | undefined, at: number) => {
    const behind = text.slice(at + 'steadfold '.length)
    const hasVerb = verb !== undefined && (NOUNS_OF_SESSION.test(first) || NOUNS_OF_WORKSPACE.test(first))
    const name = hasVerb ? `${first} ${verb}` : first
    const rest = REST.exec(behind.slice(name.length))?.[0] ?? ''
    if (ELSEWHERE.test(behind) || rest.startsWith(' --help')) return all
    const words = `steadfold ${name}`
    const as = isForPerson(text.slice(0, at), rest) ? undefined : given.as
    return [words, ...flagsFor(name, rest, { ...given, as })].join(' ') + all.slice(words.length)
  })
}

/** K2 */
const isForPerson = (ahead: string, rest: string): boolean =>
  /\ba person\b[^;\n]*$/.test(ahead) || /\bby a person\b/.test(rest)

function flagsFor(name: string, rest: string, { dir, session, command, as }: Given): readonly string[] {
  const asDir =
    dir === undefined || / --dir\b/.test(rest) || !looksInto(name) ? [] : [`--dir ${quoted(withoutPassword(dir))}`]
  const named = session === undefined || / (?:--session|-s)\b/.test(rest) || !actsOnOne(name, rest)
  const asSession = named ? [] : [`--session ${quoted(session)}`]
  const asActor = as === undefined || name !== command || / --as\b/.test(rest) ? [] : [`--as ${quoted(as)}`]
  return [...asDir, ...asSession, ...asActor]
}

function looksInto(name: string): boolean {
  const [noun = ''] = name.split(' ')
  return [OF_SESSION, NOUNS_OF_SESSION, OF_WORKSPACE, NOUNS_OF_WORKSPACE].some((each) => each.test(noun))
}

function actsOnOne(name: string, rest: string): boolean {
  const [noun = ''] = name.split(' ')
  if (NAMING_VERBS.test(name)) return NAMES_NONE.test(rest)
  if (SESSION_VERBS.test(name) || OF_SESSION.test(noun)) return true
  return NOUNS_OF_SESSION.test(noun) && !NOT_OF_SESSION.test(name)
}

/** Of the address of a database. */
const withoutPassword = (dir: string): string =>
  dir.replace(/^([a-z]+:\/\/[^:@/]*):[^/]*@/, '$1@').replace(/([?&])password=[^&]*&?/, '$1')
