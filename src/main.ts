/*
 * The binary: a hot command is done at once; everything else is loaded on use.
 *
 * M1. hot.cjs is taken as V8 has compiled it when it was built, if this is the same V8 and the same file; else from source.
 */
import * as fs from 'node:fs'
import * as vm from 'node:vm'
import type * as source from './hot-main.ts'

type Hot = Pick<typeof source, 'runHot'>
type Program = (...scope: readonly [exports: object, load: NodeJS.Require, module: object, file: string, folder: string]) => void

/** M1. */
function loadHot(): Hot {
  const { versions, platform, arch } = process
  const cached = read(`hot-${versions.v8}-${platform}-${arch}.cache`)
  if (cached === undefined) return fromSource()
  const file = `${__dirname}/hot.cjs`
  const text = fs.readFileSync(file, 'latin1')
  const mark = text.indexOf('\n') + 1
  if (cached.toString('latin1', 0, mark) !== text.slice(0, mark)) return fromSource()
  const script = new vm.Script(`(function(exports,require,module,__filename,__dirname){${text}\n})`, { filename: 'steadfold/hot.cjs', cachedData: cached.subarray(mark) })
  const module = { exports: {} }
  // The text of a CommonJS module in the function that Node puts around it; it exports what hot-main.ts does.
  const program = script.runInThisContext() as Program
  program(module.exports, require, module, file, __dirname)
  return module.exports as Hot
}

// Only on this way: an import would load it before anything else is done. It is the module whose type this is.
const fromSource = (): Hot => require('./hot-main.ts') as Hot

function read(name: string): Buffer | undefined {
  try {
    return fs.readFileSync(`${__dirname}/${name}`)
  } catch {
    return undefined
  }
}

const argv = process.argv.slice(2)

void loadHot()
  .runHot(argv)
  .then(async (status) => {
    if (status === undefined) await (await import('./cli-main.ts')).runCli(argv)
    else process.exitCode = status
  })
