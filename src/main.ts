/** The binary: a hot command is done at once; everything else is loaded on use. */
import { runHot } from './hot-main.ts'

const argv = process.argv.slice(2)

void runHot(argv).then(async (status) => {
  if (status === undefined) await (await import('./cli-main.ts')).runCli(argv)
  else process.exitCode = status
})
