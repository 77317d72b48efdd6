/*
 * The binary: a hot command is done at once; everything else is loaded on use.
 *
 * M1. A program is taken as V8 compiled it when it was built, if this is the same V8 and the same file; else from source.
 */
import * as fs from 'node:fs'
import * as vm from 'node:vm'
import type * as cold from './cli-main.ts'
import type * as hooks from './hook-main.ts'
import type * as source from './hot-main.ts'
import type * as team from './team-main.ts'
import { programFor } from './surfaces/cli/programs.ts'

type Hot = Pick<typeof source | typeof hooks | typeof team, 'runHot'>
type Cold = Pick<typeof cold, 'runCli'>
type Program = (
  ...scope: readonly [exports: object, load: (name: string) => unknown, module: object, file: string, folder: string]
) => void

const COMPILED = `${__dirname}/compiled/${process.versions.v8}-${process.platform}-${process.arch}`

/** M1: undefined where it must be loaded from source. */
function compiled(name: string, kind = ''): unknown {
  const cached = read(`${COMPILED}/${name}${kind}.cache`)
  if (cached === undefined) return undefined
  const file = `${__dirname}/${name}`
  const text = fs.readFileSync(file, 'latin1')
  const mark = text.indexOf('\n') + 1
  if (cached.toString('latin1', 0, mark) !== text.slice(0, mark)) return undefined
  const script = new vm.Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, {
    filename: `steadfold/${name}`,
    cachedData: cached.subarray(mark),
  })
  const module = { exports: {} }
  // The text of a CommonJS module in the function that Node puts around it.
  const program = script.runInThisContext() as Program
  program(module.exports, load, module, file, __dirname)
  return module.exports
}

// The names come from the compiled programs; the bundler must not look for them.
const needs: NodeJS.Require = require
const loaded = new Map<string, unknown>()

/** For what the compiled programs load: their own kind from its compiled form, too. Many ask for the same module of Node. */
function load(name: string): unknown {
  const known = loaded.get(name) ?? (name.startsWith('./hot-') ? compiled(name.slice(2)) : undefined) ?? needs(name)
  loaded.set(name, known)
  return known
}
// What V8 took from a compiled form cannot import.
load.bring = (name: string): Promise<unknown> => import(name)

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

// All are the module whose type this is. What is required is no import, which would be loaded before anything else is done.
const argv = process.argv.slice(2)
const [noun = '', verb] = argv
const FAST = {
  hook: () => compiled('hook.cjs') ?? require('./hook-main.ts'),
  team: () => compiled('team.cjs') ?? require('./team-main.ts'),
  hot: () => compiled('hot.cjs', verb === 'get' ? '.read' : '') ?? require('./hot-main.ts'),
}
const hot = FAST[programFor(noun)]() as Hot

void hot.runHot(argv).then(async (status) => {
  if (status === undefined) await ((compiled('cli.cjs') ?? require('./cli-main.ts')) as Cold).runCli(argv)
  // Everything is written: taking the program down in order would only take time.
  else process.exit(status)
})
