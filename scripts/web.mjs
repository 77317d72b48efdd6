import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = 'web'
const PUBLIC = join(ROOT, 'public')

/** The web pages as files below `dist/`, and the sources that went into them. */
export async function webPages() {
  // Anything else, as where a test builds, makes pages for development: larger, with paths of this machine.
  process.env.NODE_ENV = 'production'
  const { output } = await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      cssTarget: 'chrome125',
      // The policy of the daemon lets nothing load from inside a page, and modules need no help any more.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // How long the parts of a build took says nothing about the build.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  })
  const built = output.map((file) => [`web/${file.fileName}`, file.type === 'chunk' ? file.code : file.source])
  const asTheyAre = readdirSync(PUBLIC).map((name) => [`web/${name}`, readFileSync(join(PUBLIC, name), 'utf8')])
  return { files: [...built, ...asTheyAre], inputs: output.flatMap((file) => inputsOf(file)) }
}

const inputsOf = ({ modules = {} }) => Object.keys(modules).map((path) => path.replace(`${process.cwd()}/`, ''))
