/* What git says of the project's folder, and what is changed in it. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError } from '../../kernel/error.ts'
import { pathHere, rootsOf, type Roots } from '../../kernel/exchange/roots.ts'
import type { Session } from '../../kernel/session.ts'
import { asFailure, temporaryFolder } from './failure.ts'

export interface GitState {
  readonly branch: string | null
  readonly commit: string | null
}

/** Of a session that has arrived here with a folder of its own for the project; else `dir`. */
export function projectOf(session: Session, dir: string): string {
  const { here } = rootsOf(session.stored)
  return here !== undefined && fs.existsSync(here) ? here : dir
}

/** Undefined outside of git. */
export function gitAt(dir: string): GitState | undefined {
  if (git(dir, ['rev-parse', '--is-inside-work-tree']) !== 'true') return undefined
  return {
    branch: git(dir, ['symbolic-ref', '--quiet', '--short', 'HEAD']) ?? null,
    commit: git(dir, ['rev-parse', '--quiet', '--verify', 'HEAD']) ?? null,
  }
}

function git(dir: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

const MOST_PATCH = 64 * 1024 * 1024
/** Workspaces and bundles, also one that is being written. As patterns: one that names a path is refused where .gitignore names it, too. */
const OURS = ['.steadfold/**', '*.steadfold', `.*.${'[0-9a-f]'.repeat(16)}.tmp`].map(
  (pattern) => `:(exclude,top,glob)**/${pattern}`,
)
/** Whatever the settings here say of how a patch is shown. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/']

/** Everything that is not committed, new files too, as one binary patch against HEAD; the index stays as it is. */
export function patchOf(dir: string): Buffer {
  const folder = temporaryFolder('steadfold-patch-')
  const index = path.join(folder, 'index')
  const env = { ...process.env, GIT_INDEX_FILE: index, LC_ALL: 'C' }
  const run = (...args: readonly string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'core.safecrlf=false', ...args], {
      env,
      maxBuffer: MOST_PATCH,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  try {
    // As it is, for what was added in spite of .gitignore.
    const own = path.resolve(dir, git(dir, ['rev-parse', '--git-path', 'index']) ?? '')
    if (fs.statSync(own, { throwIfNoEntry: false })?.isFile() === true) fs.copyFileSync(own, index)
    else run('read-tree', 'HEAD')
    const inside = within(run('ls-files', '--others', '--exclude-standard', '-z'))
    run('add', '--all', '--', '.', ...OURS, ...inside)
    return run('diff-index', '--cached', '--binary', '-M', ...PLAIN, 'HEAD', '--', '.', ...OURS)
  } catch (error) {
    throw noPatch(dir, error)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Repositories and worktrees that lie inside: git would note a commit of theirs, which nobody has elsewhere, and no file. */
const within = (others: Buffer): readonly string[] =>
  others
    .toString()
    .split('\0')
    .filter((name) => name.endsWith('/'))
    .map((name) => `:(exclude,literal)${name.slice(0, -1)}`)

function noPatch(dir: string, error: unknown): EngineError {
  const { code = '', stderr = '', syscall = '' } = error as Partial<Record<'code' | 'stderr' | 'syscall', string>>
  if (syscall === 'copyfile') return asFailure(error, 'cannot copy the index of git')
  const [said = ''] = /^(?:error|fatal): .*/m.exec(String(stderr)) ?? []
  const why = code === 'ENOBUFS' ? 'it would be larger than 64 MiB' : said.replace(/^\w+: /, '')
  return new EngineError('INPUT_INVALID', `git makes no patch of ${dir}${why === '' ? '' : `: ${why}`}`, {
    hint: 'it takes a repository with a commit; without --patch the session goes alone',
    cause: error,
  })
}

export interface Difference {
  readonly path: string
  readonly what: 'missing' | 'other bytes' | 'named by the workflow'
}

/** Files that the session has hashes of and that are not so under `root`. Nothing outside of it is looked at. */
export function differencesAt(
  root: string,
  expected: ReadonlyMap<string, string>,
  roots: Roots,
): readonly Difference[] {
  const found: Difference[] = []
  for (const [name, sha256] of expected) {
    const file = path.resolve(root, pathHere(roots, name))
    if (path.relative(root, file).startsWith('..') || path.isAbsolute(path.relative(root, file))) continue
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat?.isFile() !== true) found.push({ path: name, what: 'missing' })
    else if (createHash('sha256').update(fs.readFileSync(file)).digest('hex') !== sha256)
      found.push({ path: name, what: 'other bytes' })
  }
  return found
}
