/*
 * A bundle, from front to back:
 *
 *   steadfold-bundle 1 ⏎  <length of the manifest> ⏎  manifest ⏎  signer ␣ signature ⏎  gzip of all files, one after the other
 *   └──────────────────────────────── sealed with age, unless it is to lie open ───────────────────────────────────────────┘
 *
 * The signature covers the first line and the manifest, and with it the hash of every file.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { EngineError } from '../../kernel/error.ts'
import { asFailure } from './failure.ts'
import type { Key } from './keys.ts'
import { HEAD, manifestBytes, type BundleFile, type Manifest } from './manifest.ts'
import { Pending, sweep } from './put.ts'
import type { Sealer } from './seal.ts'

/** A file of a bundle, whose bytes can be had more than once. */
export interface Source {
  readonly path: string
  chunks(): AsyncIterable<Uint8Array>
}

export interface Packing {
  readonly manifest: Omit<Manifest, 'files'>
  readonly sources: readonly Source[]
  readonly key: Key
  /** Undefined: it lies open. */
  readonly seal: Sealer | undefined
}

export interface Packed {
  readonly manifest: Manifest
  readonly bytes: number
}

/** Where a bundle will lie, so that what stands against it is known beforehand. Whoever asked for it drops it. */
export interface Spot {
  write(chunk: Uint8Array): void
  /** It is whole. */
  place(): void
  drop(): void
}

/** A file without its name yet. Throws NAME_TAKEN where there is one, unless it may be replaced, and what the disk says. */
export function fileSpot(file: string, how: 'new' | 'replace'): Spot {
  const there = statusOf(file)
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
    throw new EngineError('INPUT_INVALID', `${file} is no file: a bundle cannot lie there`, {
      hint: there.isDirectory() ? '--out FILE names a file in that folder' : 'choose another with --out',
    })
  if (there !== undefined && how === 'new') throw taken(file)
  sweep(path.dirname(file), path.basename(file))
  const pending = new Pending(file)
  const place = () => {
    if (!pending.place(how === 'new' ? 'free' : how)) throw taken(file)
  }
  return { write: (chunk) => pending.write(chunk), place, drop: () => pending.drop() }
}

/** No file at all: `bytes` has it. */
export function memorySpot(): Spot & { bytes(): Buffer } {
  const parts: Uint8Array[] = []
  return {
    write: (chunk) => void parts.push(chunk),
    place: () => undefined,
    drop: () => undefined,
    bytes: () => Buffer.concat(parts),
  }
}

function statusOf(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw asFailure(error, `cannot write ${file}`)
  }
}

/** Has it placed when it is whole. */
export async function writeBundle(spot: Spot, packing: Packing): Promise<Packed> {
  const files: BundleFile[] = []
  for (const source of packing.sources) files.push(await measured(source))
  const manifest: Manifest = { ...packing.manifest, files }
  const inner = contents(manifest, packing)
  let bytes = 0
  for await (const chunk of packing.seal === undefined ? inner : packing.seal(inner)) {
    bytes += chunk.length
    spot.write(chunk)
  }
  spot.place()
  return { manifest, bytes }
}

const taken = (file: string): EngineError =>
  new EngineError('NAME_TAKEN', `there is a file ${file} already`, { hint: 'choose another with --out, or --force' })

async function measured({ path, chunks }: Source): Promise<BundleFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks()) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

async function* contents(manifest: Manifest, { sources, key }: Packing): AsyncGenerator<Uint8Array> {
  const text = manifestBytes(manifest)
  yield Buffer.from(`${HEAD}${text.length}\n`)
  yield text
  yield Buffer.from(`\n${key.signer} ${key.sign(signedBytes(text)).toString('base64url')}\n`)
  const gzip = createGzip({ level: 6 })
  // What goes wrong is thrown by the reading below.
  pipeline(all(sources), gzip, () => undefined)
  yield* gzip
}

export const signedBytes = (manifest: Uint8Array): Buffer => Buffer.concat([Buffer.from(HEAD), manifest])

async function* all(sources: readonly Source[]): AsyncGenerator<Uint8Array> {
  for (const source of sources) yield* source.chunks()
}
