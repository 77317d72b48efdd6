import * as path from 'node:path'
import { asError, EngineError } from '../../kernel/error.ts'
import { isMembers } from '../../kernel/json/members.ts'
import { parseJsonText } from '../../kernel/json/text.ts'
import { DEFAULTS, type Settings } from '../../kernel/kernel.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { isRealFolder, makeFolder, readFile, statOf } from './durable.ts'

/** The folder of a workspace: made, or expected to be there. */
export function openFolder(root: string, create: boolean): void {
  if (create) return makeFolder(root)
  if (isRealFolder(root)) return
  throw new EngineError('WORKSPACE_NOT_FOUND', `no workspace at ${root}`, {
    hint: `steadfold init --dir ${quoted(path.dirname(root))}`,
  })
}

/** What `config.json` sets, each value of the type its default has; an unknown or wrong member is an error, not a guess. */
export function readSettings(root: string): Partial<Settings> {
  const file = path.join(root, 'config.json')
  // Mostly there is none, and being told so by an exception costs a short command more than a look.
  const bytes = statOf(file) === undefined ? undefined : readFile(file)
  if (bytes === undefined) return {}
  return checkedSettings(file, parsed(file, bytes.toString('utf8')))
}

/** `file`: where they come from, for who has to mend them. What an object leaves out is as in `below`. */
export function checkedSettings(file: string, value: unknown, below = DEFAULTS): Partial<Settings> {
  // Every member is checked against the default of its name.
  return checked({ file, value, fallback: below, name: '' }) as Partial<Settings>
}

interface Member {
  readonly file: string
  readonly value: unknown
  /** What holds when it is left out: it must be of that type. */
  readonly fallback: unknown
  /** Dotted; empty for the whole. */
  readonly name: string
}

function checked({ file, value, fallback, name }: Member): unknown {
  if (!isMembers(fallback)) {
    if (kindOf(value) === kindOf(fallback) && (typeof value !== 'number' || value > 0 || isNone(name, value)))
      return value
    throw invalid(file, `"${name}" must be a ${kindOf(fallback)}${typeof fallback === 'number' ? ', above 0' : ''}`)
  }
  if (!isMembers(value)) throw invalid(file, `${name === '' ? 'it' : `"${name}"`} must be an object`)
  // A program hands over undefined for what it leaves out.
  const isSaid = ([key, member]: [string, unknown]) => member !== undefined && (name !== '' || key !== '$schema')
  const members = Object.entries(value).filter(isSaid)
  const given = members.map(([key, member]) => {
    const path = name === '' ? key : `${name}.${key}`
    if (!Object.hasOwn(fallback, key)) throw invalid(file, `it has no setting "${path}"`)
    return [key, checked({ file, value: member, fallback: fallback[key], name: path })]
  })
  return { ...(name === '' ? {} : fallback), ...Object.fromEntries(given) }
}

/** A time that nothing has to wait. */
const isNone = (name: string, value: number): boolean => name === 'checkpointMs' && value === 0

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value)

function parsed(file: string, text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    throw invalid(file, asError(error).message)
  }
}

function invalid(file: string, why: string): EngineError {
  return new EngineError('INPUT_INVALID', `${file}: ${why}`, {
    hint: `settings are: ${Object.keys(DEFAULTS).join(', ')}`,
  })
}
