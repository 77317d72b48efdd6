/* Keys in files, and what they sign. A key is never an argument, an input or part of a log. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { asError, EngineError } from '../../kernel/error.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import type { Signed } from './verify.ts'

const HEX = /^[0-9a-f]{64}$/i
const ONLY_OWNER = 0o077

interface Template {
  readonly created_at: number
  readonly kind: number
  readonly tags: readonly (readonly string[])[]
  readonly content: string
}

export interface FileSigner {
  /** Public key. */
  readonly author: string
  readonly sign: (template: Template) => Signed & { readonly sig: string }
}

/** The file holds the secret key as hex or as `nsec1…`. */
export async function openSigner(file: string | undefined): Promise<FileSigner> {
  if (file === undefined || file === '')
    throw missing('there is no key to sign with', 'steadfold chat key FILE makes one; export STEADFOLD_NOSTR_KEY=FILE')
  const secret = await secretIn(file)
  return {
    author: getPublicKey(secret),
    sign: ({ created_at, kind, tags, content }) => {
      const whole = finalizeEvent({ created_at, kind, tags: tags.map((tag) => [...tag]), content }, secret)
      const { id, pubkey, sig } = whole
      return { id, pubkey, created_at, kind, tags, content, sig }
    },
  }
}

/** Makes a new key in a file that nobody else can read; answers the public key. Never replaces one. */
export function makeKey(file: string): string {
  const secret = generateSecretKey()
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, `${Buffer.from(secret).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (fs.existsSync(file))
      throw new EngineError('NAME_TAKEN', `cannot make a key in ${file}`, {
        hint: 'there is a file of that name; keys are not replaced',
      })
    const why = asError(error).message
    throw new EngineError('STORE_UNAVAILABLE', `cannot make a key in ${file}: ${why}`, { hint: 'choose another file' })
  }
  return getPublicKey(secret)
}

async function secretIn(file: string): Promise<Uint8Array> {
  let text: string
  try {
    if ((fs.statSync(file).mode & ONLY_OWNER) !== 0)
      throw missing(
        `others can read the key in ${file}`,
        `chmod 600 ${quoted(file)}, or make a new one with steadfold chat key`,
      )
    text = fs.readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw missing(
      `cannot read the key in ${file}`,
      'STEADFOLD_NOSTR_KEY names the file; steadfold chat key FILE makes one',
    )
  }
  const secret = HEX.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : await decoded(text)
  if (secret !== undefined && isKey(secret)) return secret
  throw missing(`${file} holds no secret key`, 'a key is 64 digits of hex, or nsec1…')
}

/** Why it is none could show parts of the key. */
async function decoded(text: string): Promise<Uint8Array | undefined> {
  const { decode } = await import('nostr-tools/nip19')
  try {
    const { type, data } = decode(text)
    return type === 'nsec' ? data : undefined
  } catch {
    return undefined
  }
}

/** The curve has no point for 0, nor for numbers above its order. */
function isKey(secret: Uint8Array): boolean {
  try {
    return getPublicKey(secret) !== ''
  } catch {
    return false
  }
}

const missing = (message: string, hint: string): EngineError => new EngineError('SIGNER_MISSING', message, { hint })
