/** Values from the command line, from a file, or from stdin. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../../kernel/error.ts'
import { parseJsonText } from '../../../kernel/json/text.ts'
import { errnoOf } from '../../../kernel/system-error.ts'
import type { Context } from '../context/context.ts'
import { isOn, textOf, usage, type Input } from '../context/input.ts'
import { unheard } from '../show/io.ts'
import type { Command, Flag } from './command.ts'

/** For commands that take one value: VALUE, `-`, or --file. */
export const VALUE_FLAGS: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    field: 'file',
    type: 'text',
    value: 'FILE',
    summary: 'read the value from a file; - is stdin',
  },
  {
    name: 'string',
    field: 'string',
    type: 'boolean',
    summary: 'the value is a string, even where it would parse as JSON',
  },
]

/** The text of the value, as it was given. USAGE when there is none, or two. */
export function givenText(context: Pick<Context, 'io' | 'cwd'>, { name }: Pick<Command, 'name'>, input: Input): string {
  const word = textOf(input, 'value')
  const file = textOf(input, 'file')
  if (word !== undefined && file !== undefined) throw usage('VALUE and --file are two values', 'give one of them')
  if (word === undefined && file === undefined)
    throw usage('VALUE is missing', `give it as a word, as - for stdin, or with --file; steadfold ${name} --help`)
  const text = file === undefined ? word : undefined
  if (text !== undefined && text !== '-') return text
  return readText(context, file ?? '-')
}

/** JSON if it parses exactly, else a string: byte for byte what the word, the file or stdin holds. */
export const givenValue = (
  context: Pick<Context, 'io' | 'cwd'>,
  command: Pick<Command, 'name'>,
  input: Input,
): unknown => toValue(givenText(context, command, input), isOn(input, 'string'))

/** A number that would change is refused, not kept as a string: NUMBER_NOT_EXACT. */
export function toValue(text: string, string: boolean): unknown {
  if (string) return text
  try {
    return parseJsonText(text)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'JSON_INVALID') return text
    throw error instanceof EngineError && error.code === 'NUMBER_NOT_EXACT'
      ? new EngineError(error.code, error.message, {
          hint: `to keep it as text, write it in the quotes of JSON: '"…"'`,
          details: error.details ?? {},
          cause: error,
        })
      : error
  }
}

/** JSON that stands in a file; `-` is stdin. What is wrong with it is said with the file, which `--string` is of no use for. */
export function jsonIn(text: string, file: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, message, hint = '', details = {} } = error
    throw new EngineError(code, `${file === '-' ? 'stdin' : file}: ${message}`, {
      hint: code === 'JSON_INVALID' ? 'correct it there, then try again' : hint,
      details,
      cause: error,
    })
  }
}

/** A file as text; `-` is stdin. Throws FILE_NOT_FOUND, or VALUE_NOT_JSON for bytes that are no UTF-8. */
export function readText({ io, cwd }: Pick<Context, 'io' | 'cwd'>, file: string): string {
  const bytes = readBytes({ io, cwd }, file)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new EngineError('VALUE_NOT_JSON', `${file === '-' ? 'stdin' : file} is not UTF-8 text`, {
      hint: 'hand in such bytes as base64',
      cause,
    })
  }
}

/** `-` is stdin. Throws FILE_NOT_FOUND. */
export const readBytes = ({ io, cwd }: Pick<Context, 'io' | 'cwd'>, file: string): Buffer =>
  file === '-' ? io.input() : readFile(path.resolve(cwd, file))

export function readFile(file: string): Buffer {
  try {
    return unheard(() => fs.readFileSync(file))
  } catch (cause) {
    const why = errnoOf(cause) ?? 'it cannot be read'
    const absent =
      { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'it may not be read' }[why] ?? why
    throw new EngineError('FILE_NOT_FOUND', `cannot read ${file}: ${absent}`, { hint: 'check the path', cause })
  }
}
