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
import { programFor } from './surfaces/cli/table/programs.ts'
import type * as team from './team-main.ts'

type Hot = Pick<typeof source | typeof hooks | typeof team, 'runHot'>
type Cold = Pick<typeof cold, 'runCli'>
type Program = (
  ...scope: readonly [exports: object, load: (name: string) => unknown, module: object, file: string, folder: string]
) => void

const COMPILED = `${__dirname}/compiled/${process.versions.v8}-${process.platform}-${process.arch}`

/** M1. What stands in the file is the function that Node puts around a module: V8 would copy what is put together here. */
function program(name: string, kind = ''): unknown {
  const file = `${__dirname}/${name}`
  const text = fs.readFileSync(file, 'latin1')
  const script = new vm.Script(text, { filename: `steadfold/${name}`, cachedData: compiled(text, `${name}${kind}`) })
  const module = { exports: {} }
  const run = script.runInThisContext() as Program
  run(module.exports, load, module, file, __dirname)
  return module.exports
}

/** Undefined where the source must be compiled. */
function compiled(text: string, name: string): Buffer | undefined {
  const cached = read(`${COMPILED}/${name}.cache`)
  const mark = text.indexOf('\n') + 1
  return cached?.toString('latin1', 0, mark) === text.slice(0, mark) ? cached.subarray(mark) : undefined
}

// The names come from the compiled programs; the bundler must not look for them.
const needs: NodeJS.Require = require
const loaded = new Map<string, unknown>()

/** For what the programs load: their own kind, and modules of Node, of which many ask for the same. */
function load(name: string): unknown {
  const known = loaded.get(name) ?? (name.endsWith('.cjs') ? program(name) : needs(name))
  loaded.set(name, known)
  return known
}
// What V8 took from a compiled form cannot import. What the binary has in a form of its own is loaded as that.
load.bring = async (name: string): Promise<unknown> => (name.endsWith('.cjs') ? load(name) : import(name))

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

// Each is the module whose type this is.
const argv = process.argv.slice(2)
const [noun = '', verb] = argv
const fast = programFor(noun)
const whole = (): Promise<void> => (program('cli.cjs') as Cold).runCli(argv)

if (fast === undefined) void whole()
else {
  const hot = program(`${fast}.cjs`, fast === 'hot' && verb === 'get' ? '.read' : '') as Hot
  void hot.runHot(argv).then(async (status) => {
    if (status === undefined) await whole()
    // Everything is written: taking the program down in order would only take time.
    else process.exit(status)
  })
}
