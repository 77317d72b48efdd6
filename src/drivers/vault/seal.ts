/* The envelope: age, for X25519 recipients or a passphrase. `age` of others opens ours, and the other way round. */
import * as fs from 'node:fs'
import { EngineError, isError } from '../../kernel/error.ts'
import { streamOf, type Lying } from './bytes.ts'
import { invalid } from './manifest.ts'

export type SealFor = { readonly recipients: readonly string[] } | { readonly passphrase: string }

export interface Openers {
  /** AGE-SECRET-KEY-1…, tried one after the other. */
  readonly identities: readonly string[]
  readonly passphrase?: string | undefined
}

const MAGIC = 'age-encryption.org/v1\n'
/** Of the part before the contents: some hundred recipients. */
const MOST_HEADER = 64 * 1024
/** What age itself uses: 256 MB and a second. More is somebody else's way of using up a machine. */
const MOST_WORK = 18

export type Sealer = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>

/** Throws INPUT_INVALID for a recipient that age does not take. */
export async function sealerFor(how: SealFor): Promise<Sealer> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  const add = (recipient: string) => {
    try {
      encrypter.addRecipient(recipient)
    } catch (error) {
      throw new EngineError('INPUT_INVALID', `${recipient} is no recipient: a letter of it is wrong`, {
        hint: 'copy it whole: steadfold key list shows it on the other machine',
        cause: error,
      })
    }
  }
  if ('passphrase' in how) encrypter.setPassphrase(how.passphrase)
  else for (const recipient of how.recipients) add(recipient)
  return async function* (chunks) {
    yield* await encrypter.encrypt(asStream(chunks))
  }
}

export async function* sealed(chunks: AsyncIterable<Uint8Array>, how: SealFor): AsyncGenerator<Uint8Array> {
  yield* (await sealerFor(how))(chunks)
}

/** The envelope of a bundle that is sealed. Looks at the beginning only, and refuses what could use up memory before it is opened. */
export function envelopeOf(bundle: Lying): string | undefined {
  const head = beginningOf(bundle)
  if (!head.startsWith(MAGIC)) return undefined
  const [envelope] = /^[^]*?\n--- .*\n/.exec(head) ?? []
  if (envelope === undefined) throw invalid('its envelope has no end')
  const work = Math.max(0, ...[...envelope.matchAll(/^-> scrypt \S+ (\d+)$/gm)].map(([, log]) => Number(log)))
  if (work > MOST_WORK) throw invalid(`its passphrase would take 2^${work} rounds to try`)
  return envelope
}

export async function* opened(bundle: Lying, envelope: string, openers: Openers): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addIdentity({ unwrapFileKey: () => fileKeyOf(envelope, openers) })
  const source = streamOf(bundle)
  try {
    yield* await decrypter.decrypt(asStream(source))
  } catch (error) {
    const isLocked = isError(error) && error.message.startsWith('no identity matched')
    throw isLocked ? locked(openers.passphrase) : broken(error)
  } finally {
    source.destroy()
  }
}

/** A passphrase takes a second and 256 MB to try, and what is taken in is read twice. */
const fileKeys = new WeakMap<Openers, Map<string, Promise<Uint8Array>>>()

function fileKeyOf(envelope: string, openers: Openers): Promise<Uint8Array> {
  const found = fileKeys.get(openers) ?? new Map<string, Promise<Uint8Array>>()
  fileKeys.set(openers, found)
  const key = found.get(envelope) ?? findFileKey(envelope, openers)
  found.set(envelope, key)
  return key
}

async function findFileKey(envelope: string, { identities, passphrase }: Openers): Promise<Uint8Array> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
  return decrypter.decryptHeader(Buffer.from(envelope, 'latin1'))
}

const locked = (passphrase: string | undefined): EngineError =>
  new EngineError('BUNDLE_SEALED', 'none of your keys opens this bundle', {
    hint:
      passphrase === undefined
        ? 'steadfold key list shows your recipients; where it was sealed with a passphrase: --passphrase-file FILE'
        : 'is it the right passphrase?',
  })

const broken = (error: unknown): EngineError =>
  error instanceof EngineError ? error : invalid('its envelope is damaged or cut off', error)

/** Not `Readable.toWeb`: it throws past everybody when who reads stops early. */
function asStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (stream) => {
      const { done, value } = await source.next()
      if (done === true) stream.close()
      else stream.enqueue(value)
    },
    cancel: async () => {
      await source.return?.()
    },
  })
}

function beginningOf(bundle: Lying): string {
  if (typeof bundle !== 'string') return bundle.toString('latin1', 0, MOST_HEADER)
  const fd = fs.openSync(bundle, fs.constants.O_RDONLY)
  try {
    const bytes = Buffer.allocUnsafe(MOST_HEADER)
    return bytes.toString('latin1', 0, fs.readSync(fd, bytes, 0, MOST_HEADER, 0))
  } finally {
    fs.closeSync(fd)
  }
}
