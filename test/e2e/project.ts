import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** An empty folder in which the packed product is installed, and nothing else. */
export function newProject(installed: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'steadfold-project-'))
  cpSync(installed, dir, { recursive: true, verbatimSymlinks: true })
  return dir
}

/** What a shell in that project would find: its own binaries first, no settings of ours. */
function environment(dir: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(STEADFOLD_|VITEST|NODE_|npm_)/.test(name))
  const path = `${join(dir, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...Object.fromEntries(own), PATH: path, HOME: dir, NO_COLOR: '1' }
}

export function run(dir: string, command: string, args: readonly string[]): Finished {
  const options = { cwd: dir, env: environment(dir), encoding: 'utf8', timeout: 60_000, input: '' } as const
  const { status, stdout, stderr, error } = spawnSync(command, args, options)
  if (error) throw error
  return { status, stdout, stderr }
}

/**
 * Type-checks files of the project as its owner would, declarations of the package included. The types of Node are there
 * only where they were linked.
 */
export function typecheck(dir: string, files: readonly string[], mode: 'node16' | 'bundler'): Finished {
  const modules = mode === 'node16' ? { module: 'node16' } : { module: 'esnext', moduleResolution: 'bundler' }
  // Declarations of others are not ours to check.
  const skipLibCheck = existsSync(join(dir, 'node_modules/@langchain'))
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck }
  const types = existsSync(join(dir, 'node_modules/@types/node')) ? ['node'] : []
  const lib = ['es2023', 'dom']
  const compilerOptions = { ...modules, ...strict, target: 'es2023', lib, types, noEmit: true }
  const config = `tsconfig.${mode}.json`
  writeFileSync(join(dir, config), JSON.stringify({ compilerOptions, files }))
  return run(dir, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config])
}

/** For code that a reader would run as a script: the types of Node are there, as in most projects, and the peers it names. */
export function linkNodeTypes(dir: string): void {
  for (const name of ['@types', 'undici-types', '@langchain']) {
    symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name))
  }
}
