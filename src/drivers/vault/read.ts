/*
 * Reads a bundle in one pass and in little memory, and believes nothing.
 *
 *   envelope ─► head, manifest, signature ─► gzip ─► each file: declared size, declared hash
 *                                                      └ log files: the chain, from the first commit to the head
 *
 * R1. The signature is checked before the manifest is believed, and the manifest before anything is decompressed.
 * R2. A byte more than was declared ends it. Nobody decompresses ahead of who reads.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { EngineError } from '../../kernel/error.ts'
import { errnoOf } from '../../kernel/system-error.ts'
import { ByteReader, streamOf, type Lying } from './bytes.ts'
import { ChainCheck } from './chain-check.ts'
import { isSignedBy } from './keys.ts'
import { assertSizes, HEAD, invalid, MOST_MANIFEST, readManifest, type BundleFile, type Manifest } from './manifest.ts'
import { envelopeOf, opened, type Openers } from './seal.ts'
import { signedBytes } from './write.ts'

export interface ReadOptions {
  readonly open: Openers
  /** Sealed or refused: what lies open is taken only where it was asked for. */
  readonly mayLieOpen?: boolean
  readonly maxBytes?: number | undefined
  /** Throws what stands against the bundle, before a byte of its files is decompressed (R1). */
  readonly judge?: (head: BundleHead) => void
}

export interface BundleHead {
  readonly manifest: Manifest
  /** `ed25519:…`; the signature checks. */
  readonly signer: string
  /** Of the whole file. */
  readonly bytes: number
  readonly sealed: boolean
}

/** Is told of each file, in order; reads its chunks, all or none of them. */
export type Visit = (file: BundleFile, chunks: AsyncIterable<Uint8Array>) => Promise<void>

/** Throws BUNDLE_INVALID, BUNDLE_SEALED, or what `judge` and `visit` throw. */
export async function readBundle(bundle: Lying, options: ReadOptions, visit?: Visit): Promise<BundleHead> {
  const { reader, head } = await begin(bundle, options)
  try {
    options.judge?.(head)
    await readFiles(reader, head.manifest, visit)
    return head
  } finally {
    await reader.cancel()
  }
}

/** The head alone; the files behind it are not looked at. */
export async function readHead(bundle: Lying, options: ReadOptions): Promise<BundleHead> {
  const { reader, head } = await begin(bundle, options)
  await reader.cancel()
  return head
}

async function begin(bundle: Lying, { open, mayLieOpen = false, maxBytes }: ReadOptions) {
  const bytes = read(bundle, () => sizeOf(bundle))
  const envelope = read(bundle, () => envelopeOf(bundle))
  if (envelope === undefined && !mayLieOpen) throw invalid('it is not sealed with age')
  const reader = new ByteReader(envelope === undefined ? streamOf(bundle) : opened(bundle, envelope, open))
  try {
    const head = { ...(await readSigned(reader)), bytes, sealed: envelope !== undefined }
    assertSizes(head.manifest, bytes, maxBytes)
    return { reader, head }
  } catch (error) {
    await reader.cancel()
    throw error
  }
}

/** What the disk says against reading it, as our own errors. */
function read<T>(bundle: Lying, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new EngineError(
      'FILE_NOT_FOUND',
      `cannot read the bundle ${typeof bundle === 'string' ? bundle : ''}: ${errnoOf(error) ?? 'unknown error'}`,
      {
        hint: 'check the path, and who may read it',
        cause: error,
      },
    )
  }
}

function sizeOf(bundle: Lying): number {
  if (typeof bundle !== 'string') return bundle.length
  const stat = fs.existsSync(bundle) ? fs.statSync(bundle) : undefined
  if (stat?.isFile() === true) return stat.size
  throw new EngineError('FILE_NOT_FOUND', `there is no bundle ${bundle}`, {
    hint: 'check the path; who sends makes one, with steadfold teleport send or steadfold bundle pack',
  })
}

/** R1. */
async function readSigned(reader: ByteReader): Promise<{ readonly manifest: Manifest; readonly signer: string }> {
  if ((await reader.line(HEAD.length)) !== HEAD.trimEnd()) throw invalid('it does not begin as one of version 1 does')
  const length = await reader.line(12)
  if (!/^[1-9]\d{0,9}$/.test(length) || Number(length) > MOST_MANIFEST)
    throw invalid('its manifest has no sound length')
  const text = await reader.exactly(Number(length))
  if ((await reader.line(1)) !== '') throw invalid('its manifest goes on behind its end')
  const [, signer = '', signature = ''] = /^(ed25519:[\w-]{43}) ([\w-]{86})$/.exec(await reader.line(200)) ?? []
  if (!isSignedBy(signer, signedBytes(text), Buffer.from(signature, 'base64url')))
    throw invalid('its signature does not check')
  return { manifest: readManifest(text), signer }
}

async function readFiles(reader: ByteReader, manifest: Manifest, visit: Visit | undefined): Promise<void> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  let packed = 0
  const counted = async function* () {
    for await (const chunk of reader.rest()) {
      packed += chunk.length
      yield chunk
    }
  }
  pipeline(counted(), gunzip, () => undefined)
  const inner = new ByteReader(gunzip)
  const chain = new ChainCheck(manifest)
  try {
    for (const each of manifest.files) await readOne(inner, each, chain, visit)
    if (!(await inner.ended())) throw invalid('it holds more than it declares')
    if (gunzip.bytesWritten !== packed) throw invalid('something follows its end')
    chain.end()
  } catch (error) {
    throw error instanceof EngineError ? error : invalid('what it holds is damaged or cut off', error)
  } finally {
    gunzip.destroy()
  }
}

async function readOne(reader: ByteReader, file: BundleFile, chain: ChainCheck, visit?: Visit): Promise<void> {
  const hash = createHash('sha256')
  let left = file.bytes
  const isLog = chain.begin(file.path)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (left > 0) {
      const chunk = await reader.some(left)
      left -= chunk.length
      hash.update(chunk)
      if (isLog) chain.take(chunk)
      yield chunk
    }
  }
  const own = chunks()
  await visit?.(file, own)
  // What the visitor left unread is checked all the same.
  for await (const _ of chunks()) continue
  if (hash.digest('hex') !== file.sha256) throw invalid(`${file.path} does not have the bytes its hash says`)
}
