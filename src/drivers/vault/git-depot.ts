/*
 * A git repository: one ref a session outside of branches, `refs/steadfold/<id>`, whose tree holds its objects.
 *
 * A push there is a commit on top of the one before; git refuses it when somebody else was first, and sends only objects
 * that are new. A bare copy under `.steadfold` holds what was fetched; it may be deleted.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { EngineError, isError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { shownUrl } from '../../kernel/text/shown-url.ts'
import type { Depot, Item } from './depot.ts'
import { git, gitOver } from './git.ts'
import { PATIENCE_MS, patienceFor, silent } from './patience.ts'

const NONE = '0000000000000000000000000000000000000000'
const ATTEMPTS = 5

export function gitDepot(url: string, copy: string, patience: number = PATIENCE_MS): Depot {
  return new GitDepot(url, copy, patience)
}

class GitDepot implements Depot {
  readonly what: string
  readonly #url: string
  readonly #copy: string
  readonly #patience: number
  #fetched: Promise<void> | undefined
  #renewed: Promise<void> | undefined

  constructor(url: string, copy: string, patience: number) {
    this.what = shownUrl(url)
    this.#url = url
    this.#copy = copy
    this.#patience = patience
  }

  async list(prefix: string, after = ''): Promise<readonly string[]> {
    const names = await this.#reading(async () => {
      if (prefix === 'index/') return this.#sessions()
      const ref = refOf(prefix)
      return (await this.#has(ref)) ? this.#git(['ls-tree', '-r', '--name-only', ref, '--', prefix]) : ''
    })
    return names
      .split('\n')
      .filter((name) => name.startsWith(prefix) && name > after)
      .sort()
  }

  async get(name: string): Promise<Buffer | undefined> {
    const ref = refOf(name)
    return this.#reading(async () => {
      try {
        return await this.#bytes(['cat-file', 'blob', `${ref}:${name}`])
      } catch (error) {
        if ((await this.#has(ref)) && (await this.#git(['ls-tree', ref, '--', name])) !== '') throw error
        return undefined
      }
    })
  }

  /** All of them in one commit, so that none is there without the last. */
  async putNew(objects: readonly Item[]): Promise<boolean> {
    const own = objects.filter(({ name }) => name.startsWith('sessions/'))
    const last = own.at(-1)
    if (last === undefined) return true
    for (let attempt = 1; ; attempt += 1) {
      this.#fetched = this.#renewed = undefined
      if ((await this.get(last.name)) !== undefined) return false
      try {
        await this.#put(refOf(last.name), own)
        return true
      } catch (error) {
        // Somebody else moved the ref meanwhile: look again whether they put this very object.
        if (attempt === ATTEMPTS || error instanceof EngineError) throw unreachable(this.#url, error)
      }
    }
  }

  async #put(ref: string, objects: readonly Item[]): Promise<void> {
    const before = (await this.#has(ref)) ? await this.#git(['rev-parse', ref]) : undefined
    const index = this.#temporary()
    fs.mkdirSync(index, { mode: 0o700 })
    const env = { GIT_INDEX_FILE: `${index}/index` }
    try {
      if (before !== undefined) await this.#git(['read-tree', before], { env })
      for (const { name, bytes } of objects) {
        fs.writeFileSync(`${index}/object`, bytes, { mode: 0o600 })
        const hash = await this.#git(['hash-object', '-w', '--no-filters', `${index}/object`])
        await this.#git(['update-index', '--add', '--cacheinfo', `100644,${hash},${name}`], { env })
      }
      const tree = await this.#git(['write-tree'], { env })
      const commit = await this.#git(
        ['commit-tree', tree, '-m', 'steadfold', ...(before === undefined ? [] : ['-p', before])],
        { env: AUTHOR },
      )
      const sent = objects.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const lease = `--force-with-lease=${ref}:${before ?? ''}`
      await this.#over(['push', '--progress', lease, this.#url, `${commit}:${ref}`], { sent })
      // It is there; that the copy knows it spares a fetch.
      await this.#git(['update-ref', ref, commit, before ?? NONE]).catch(() => undefined)
    } finally {
      fs.rmSync(index, { recursive: true, force: true })
    }
  }

  #sessions(): Promise<string> {
    return this.#git(['for-each-ref', '--format=index/%(refname:strip=2)', 'refs/steadfold/'])
  }

  /** What cannot be read of the copy, as behind a power cut, is not taken for what is not there: it is copied anew, once. */
  async #reading<T>(work: () => Promise<T>): Promise<T> {
    await this.#fetch()
    try {
      return await work()
    } catch {
      this.#renewed ??= this.#copyAnew('in its place')
    }
    try {
      await this.#renewed
      return await work()
    } catch (error) {
      throw unreachable(this.#url, error)
    }
  }

  /** Once for what follows one another; a push looks again. */
  #fetch(): Promise<void> {
    this.#fetched ??= this.#fetchNow()
    return this.#fetched
  }

  async #fetchNow(): Promise<void> {
    try {
      if (!fs.existsSync(this.#copy)) await this.#copyAnew('where none is')
      await this.#fetchInto(this.#copy)
    } catch (error) {
      if (error instanceof EngineError) throw error
      // Somebody who was killed there may have left a lock, or half of it. What can be reached is copied anew.
      await this.#copyAnew('in its place').catch(() => {
        throw unreachable(this.#url, error)
      })
    }
  }

  /** Beside the copy, by a name that gc knows. */
  #temporary(): string {
    const { dir, base } = path.parse(this.#copy)
    return path.join(dir, `.${base}.${randomBytes(8).toString('hex')}.tmp`)
  }

  /** Whole before it has its name. Others here may be at it: what was there goes aside by one rename, and so does a second new one. */
  async #copyAnew(how: 'where none is' | 'in its place'): Promise<void> {
    const [fresh, old] = [this.#temporary(), this.#temporary()]
    try {
      await git(['init', '--quiet', '--bare', fresh], within(fresh, {}))
      if (how === 'in its place') {
        await this.#fetchInto(fresh)
        moved(this.#copy, old)
      }
      moved(fresh, this.#copy)
    } finally {
      for (const left of [fresh, old]) fs.rmSync(left, { recursive: true, force: true })
    }
  }

  #fetchInto(copy: string): Promise<void> {
    const all = '+refs/steadfold/*:refs/steadfold/*'
    return this.#over(['fetch', '--progress', '--no-tags', '--prune', this.#url, all], { copy })
  }

  async #has(ref: string): Promise<boolean> {
    return (await this.#git(['for-each-ref', ref])) !== ''
  }

  async #git(args: readonly string[], options?: { readonly env: Readonly<Record<string, string>> }): Promise<string> {
    return (await this.#bytes(args, options?.env)).toString('utf8').trim()
  }

  #bytes(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    return git(['--git-dir', this.#copy, ...args], within(this.#copy, env))
  }

  /** With the repository, which may be anywhere. */
  #over(args: readonly string[], { copy = this.#copy, sent = 0 }: { copy?: string; sent?: number }): Promise<void> {
    const patience = patienceFor(this.#patience, sent)
    const wait = { patience, silent: () => silent(this.what, patience) }
    return gitOver(['--git-dir', copy, ...args], within(copy, {}), wait)
  }
}

/** Unless somebody else was faster. */
function moved(from: string, to: string): void {
  try {
    fs.renameSync(from, to)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error
  }
}

/** A path is told from the project's folder, wherever somebody stands; what git says is read, so in its own words. */
const within = (copy: string, env: Readonly<Record<string, string>>) => ({
  cwd: path.resolve(copy, '../..'),
  env: { ...process.env, ...NOT_OURS, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...env },
})

/** Of the repository whose hook, or whose alias, runs us. */
const NOT_OURS = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
  GIT_NAMESPACE: undefined,
}

/** Nobody's name is told. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'steadfold',
  GIT_AUTHOR_EMAIL: 'steadfold@localhost',
  GIT_COMMITTER_NAME: 'steadfold',
  GIT_COMMITTER_EMAIL: 'steadfold@localhost',
}

/** Session ids are fit for refs, but for those that end in `.lock`, which git refuses. */
const refOf = (name: string): string => `refs/steadfold/${name.split('/')[1] ?? ''}`

function unreachable(url: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error
  const said = isError(error) && 'stderr' in error ? String(error.stderr).trim() : String(error)
  const isRefused = said.includes('[remote rejected]')
  const [first = ''] = said.split('\n')
  return new EngineError(
    'STORE_UNAVAILABLE',
    shownUrl(`${isRefused ? 'a rule refuses what git puts at' : 'git cannot reach'} ${url}: ${first}`),
    {
      hint: isRefused
        ? 'have refs/steadfold/ allowed over there, or choose another place'
        : 'does git ls-remote reach it?',
      cause: error,
    },
  )
}
