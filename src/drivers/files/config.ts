import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { DEFAULTS, type Settings } from '../../kernel/kernel.ts'
import { parseJsonText } from '../../kernel/json-text.ts'
import { isRealFolder, makeFolder, readFile } from './durable.ts'

/** The folder of a workspace: made, or expected to be there. */
export function openFolder(root: string, create: boolean): void {
  if (create) return makeFolder(root)
  if (isRealFolder(root)) return
  throw new EngineError('WORKSPACE_NOT_FOUND', `no workspace at ${root}`, {
    hint: `steadfold init --dir ${path.dirname(root)}`,
  })
}

/** What `config.json` sets, each value of the type its default has; an unknown or wrong member is an error, not a guess. */
export function readSettings(root: string): Partial<Settings> {
  const file = path.join(root, 'config.json')
  // Mostly there is none, and being told so by an exception costs a short command more than a look.
  const bytes = fs.lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFile(file)
  if (bytes === undefined) return {}
  const config = parsed(file, bytes.toString('utf8'))
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw invalid(file, 'it must be an object')
  const members = Object.entries(config).filter(([key]) => key !== '$schema')
  for (const [key, value] of members) {
    if (!Object.hasOwn(DEFAULTS, key)) throw invalid(file, `it has no setting "${key}"`)
    const wanted = typeof Object.entries(DEFAULTS).find(([name]) => name === key)?.[1]
    if (typeof value !== wanted || (typeof value === 'number' && !(value > 0)))
      throw invalid(file, `"${key}" must be a ${wanted}, above 0`)
  }
  return Object.fromEntries(members)
}

function parsed(file: string, text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    throw invalid(file, error instanceof Error ? error.message : String(error))
  }
}

function invalid(file: string, why: string): EngineError {
  return new EngineError('INPUT_INVALID', `${file}: ${why}`, {
    hint: `settings are: ${Object.keys(DEFAULTS).join(', ')}`,
  })
}
