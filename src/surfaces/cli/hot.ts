/*
 * The parser for the commands that must start fast: node's own parseArgs and nothing else.
 *
 * H1. It understands a command line completely or not at all: help, unknown flags, missing words and every other
 *     error of usage are handed to the full parser, which reads the same table.
 * H2. What it understands, it understands as the full parser does.
 */
import { parseArgs } from 'node:util'
import { EngineError } from '../../kernel/error.ts'
import type { HotApp } from './app.ts'
import type { Call, Command } from './command.ts'
import type { World } from './context.ts'
import { flagsOf } from './flags.ts'
import { inputOf } from './input.ts'
import { perform } from './perform.ts'

/** The exit status; undefined when the line is for the full parser. Nothing has been done then. */
export async function performHot(app: HotApp, table: readonly Command[], argv: readonly string[], world: World): Promise<number | undefined> {
  try {
    const call = parseHot(table, argv)
    return call === undefined ? undefined : await perform(app, call, world)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'USAGE') return undefined
    throw error
  }
}

/** H1. */
export function parseHot(table: readonly Command[], argv: readonly string[]): Call | undefined {
  const two = `${argv[0] ?? ''} ${argv[1] ?? ''}`
  const command = table.find(({ name }) => name === two || name === argv[0])
  if (command === undefined || argv.includes('--help') || argv.includes('-h')) return undefined
  const words = command.name === two ? argv.slice(2) : argv.slice(1)
  try {
    return { command, input: inputOf(command, wordsOf(command, words)) }
  } catch {
    return undefined
  }
}

function wordsOf(command: Command, args: readonly string[]) {
  const flags = flagsOf(command)
  const options = Object.fromEntries(
    flags.map(({ name, short, type, repeat }) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const), multiple: repeat === true, ...(short === undefined ? {} : { short }) },
    ]),
  )
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  return { positionals, flags: values }
}
