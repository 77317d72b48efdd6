/** Places by name, each in a file of its own below `.steadfold/remotes`; and what is known of each, beside the session. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { shownUrl } from '../../kernel/text/shown-url.ts'
import type { Met } from './compare.ts'
import { asFailure } from './failure.ts'
import { makeFolders } from './folders.ts'
import { put } from './put.ts'

const text = z.string().check(z.minLength(1), z.maxLength(4096))
const remoteFile = z.object({
  v: z.literal(1),
  url: text,
  /** For whom increments are sealed, beside the own key; they lie open where it is null. */
  recipients: z.nullable(z.array(text)),
})

export interface Remote {
  readonly name: string
  readonly url: string
  readonly recipients: readonly string[] | null
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const count = z.int().check(z.minimum(0))
const knownFile = z.object({
  v: z.literal(1),
  url: text,
  sealed: z.boolean(),
  position: z.object({ seq: count, hash: text, segment: count, offset: count, first: count }),
  at: z.iso.datetime(),
  status: z.enum(['success', 'error']),
  error: z.nullable(z.string()),
})

export interface Known {
  readonly url: string
  readonly position: Met
  readonly at: string
  readonly status: 'success' | 'error'
  readonly error: string | null
}

export class Remotes {
  readonly #root: string

  /** `root`: the `.steadfold`. */
  constructor(root: string) {
    this.#root = root
  }

  /** By name. */
  list(): readonly Remote[] {
    const names = filesIn(this.#folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
    return names
      .filter((name) => NAME.test(name))
      .toSorted()
      .flatMap((name) => {
        const read = readAs(this.#file(name), remoteFile)
        return read === undefined ? [] : [{ name, url: read.url, recipients: read.recipients }]
      })
  }

  /** By name, else the only one. */
  get(name: string | undefined): Remote {
    const all = this.list()
    const found = name === undefined ? (all.length === 1 ? all[0] : undefined) : all.find((each) => each.name === name)
    if (found !== undefined) return found
    const names = all.map((each) => each.name).join(', ')
    throw new EngineError(
      'NOT_FOUND',
      name === undefined ? `which place? there are ${names || 'none'}` : `no place ${name}`,
      {
        hint:
          all.length === 0
            ? 'steadfold remote add NAME URL --recipient WHO'
            : `${name === undefined ? '--remote NAME, ' : ''}one of ${names}`,
      },
    )
  }

  add({ name, url, recipients }: Remote): void {
    if (!NAME.test(name))
      throw new EngineError('NAME_INVALID', `${JSON.stringify(name)} is no name for a place`, {
        hint: 'letters, digits, dot, hyphen and underscore, at most 64',
      })
    assertUrl(url)
    this.#begin(this.#folder)
    if (put(this.#file(name), textOf({ v: 1, url, recipients }), 'new')) return
    throw new EngineError('NAME_TAKEN', `there is a place ${name} already`, {
      hint: `steadfold remote remove ${name}`,
    })
  }

  remove(name: string): Remote {
    const found = this.get(name)
    try {
      fs.rmSync(this.#file(name))
    } catch (error) {
      // Somebody else was faster.
      if (errnoOf(error) !== 'ENOENT') throw asFailure(error, `cannot remove ${this.#file(name)}`)
    }
    return found
  }

  /** What is known is a cache: of another place, or damaged, it is nothing. */
  known(session: string, { name, url }: Remote): Known | undefined {
    const found = readAs(this.knownFile(session, name), knownFile, true)
    return found?.url === url ? found : undefined
  }

  note(session: string, remote: Remote, known: Omit<Known, 'url'>): void {
    const file = this.knownFile(session, remote.name)
    this.#begin(path.dirname(file))
    put(file, textOf({ v: 1, ...known, url: remote.url, sealed: remote.recipients !== null }), 'replace')
  }

  get #folder(): string {
    return path.join(this.#root, 'remotes')
  }

  #file(name: string): string {
    return path.join(this.#folder, `${name}.json`)
  }

  /** Where it is noted; it may be deleted. */
  knownFile(session: string, name: string): string {
    return path.join(this.#root, 'sessions', session, 'remotes', `${name}.json`)
  }

  #begin(folder: string): void {
    try {
      makeFolders(folder)
    } catch (error) {
      throw asFailure(error, `cannot write ${folder}`)
    }
  }
}

/** `scheme://…` of another kind, or what git alone would take, is no path. */
function assertUrl(url: string): void {
  const isForeign = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^(file|s3):/.test(url)
  const isBare = isForeign || /^[\w.-]+@[\w.-]+:/.test(url)
  const isNowhere = url === 'git:' || (url.startsWith('s3:') && !(URL.canParse(url) && new URL(url).host !== ''))
  if (!isBare && !isNowhere) return
  throw new EngineError('INPUT_INVALID', `${shownUrl(url)} is no place`, {
    hint: isBare ? `a repository is git:${shownUrl(url)}` : 'a place is a path, git:URL, or s3://BUCKET/PREFIX',
  })
}

const textOf = (value: object): readonly Buffer[] => [Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)]

function filesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw asFailure(error, `cannot read ${folder}`)
  }
}

function readAs<T>(file: string, schema: z.ZodMiniType<T>, isCache = false): T | undefined {
  if (!fs.existsSync(file)) return undefined
  try {
    return schema.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch (error) {
    if (isCache) return undefined
    throw new EngineError('INPUT_INVALID', `${file} is damaged`, {
      hint: 'bring it back from a copy, or remove it',
      cause: error,
    })
  }
}
