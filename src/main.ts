/** The binary: a hot command is done at once; everything else is loaded on use. */
import { runHot } from './hot-main.ts'

void runHot(process.argv.slice(2)).then(async (status) => {
  if (status === undefined) await (await import('./cli-main.ts')).runCli(process.argv.slice(2))
  else process.exitCode = status
})
