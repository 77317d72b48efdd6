/*
 * Keys of this person on this machine, and the people they know: `~/.config/steadfold/keys` and `…/known`.
 *
 * K1. A secret never leaves its file: not as an argument, not in a log, not in an answer. Files are 0600 in folders of 0700.
 * K2. A key is two: age opens what is sealed for it, Ed25519 signs what it packs. Others get the public halves.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as z from 'zod/mini'
import { EngineError } from '../../kernel/error.ts'
import { homeIn } from '../../kernel/home.ts'
import { quoted } from '../../kernel/text/shell-word.ts'
import { asFailure } from './failure.ts'
import { makeFolders } from './folders.ts'
import { put } from './put.ts'

export interface Card {
  readonly name: string
  /** `age1…`; null where only the signer is known. */
  readonly recipient: string | null
  /** `ed25519:…` */
  readonly signer: string
}

export interface Key extends Card {
  readonly recipient: string
  /** AGE-SECRET-KEY-1… */
  readonly identity: string
  readonly sign: (bytes: Uint8Array) => Buffer
}

const ONLY_OWNER = 0o077
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/
const SIGNER = /^ed25519:[\w-]{43}$/
const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/
const keyFile = z.object({ v: z.literal(1), identity: z.string(), recipient: z.string(), secret: z.string() })
const cardFile = z.object({ v: z.literal(1), recipient: z.nullable(z.string()), signer: z.string() })

type Environment = Readonly<Record<string, string | undefined>>

/** Where keys, and what is known of others, are kept. */
export function homeOf(env: Environment): string {
  const said = env['STEADFOLD_HOME'] ?? ''
  const config = env['XDG_CONFIG_HOME'] ?? ''
  if (said !== '') return said
  return path.join(path.isAbsolute(config) ? config : path.join(personIn(env), '.config'), 'steadfold')
}

export const personIn = (env: Environment): string => homeIn(env, () => os.userInfo().homedir)

export class KeyRing {
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  async create(name: string): Promise<Key> {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const recipient = await identityToRecipient(identity)
    const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    this.#put('keys', name, { v: 1, identity, recipient, secret })
    return this.#key(name)
  }

  /** Oldest first. */
  own(): readonly Key[] {
    return this.#names('keys').map((name) => this.#key(name))
  }

  known(): readonly Card[] {
    return this.#names('known').map((name) => {
      const { recipient, signer } = this.#read('known', name, cardFile)
      return { name, recipient, signer }
    })
  }

  /** By name, else the only one there is. */
  signingKey(name?: string): Key {
    const own = this.own()
    const [first, ...more] = own
    if (name !== undefined) {
      const named = own.find((key) => key.name === name)
      if (named !== undefined) return named
      throw new EngineError('NOT_FOUND', `there is no key ${name} here`, { hint: 'steadfold key list' })
    }
    if (first === undefined)
      throw new EngineError('NOT_FOUND', 'there is no key here to sign with', { hint: 'steadfold key create NAME' })
    if (more.length === 0) return first
    throw new EngineError('NOT_FOUND', `which key? there are ${own.map((key) => key.name).join(', ')}`, {
      hint: '--key NAME',
    })
  }

  /**
   * Says to know somebody; the same again is fine, and adds a recipient that was not known. Another under the same name is
   * refused, also where that is an own key.
   */
  trust({ name, recipient, signer }: Card): Card {
    if (!SIGNER.test(signer) || (recipient !== null && !RECIPIENT.test(recipient)))
      throw new EngineError('INPUT_INVALID', 'that is no card of a key', {
        hint: 'steadfold key list prints it on the other machine: steadfold-key NAME age1… ed25519:…',
      })
    const before = [...this.known(), ...this.own()].find((card) => card.name === name)
    const isSame = before?.signer === signer
    if (isSame && (recipient === null || before.recipient === recipient))
      return { name, recipient: before.recipient, signer }
    this.#put('known', name, { v: 1, recipient, signer }, isSame && before.recipient === null ? 'replace' : 'new')
    return { name, recipient, signer }
  }

  /** What people call the signer; nothing for a stranger. Own keys are no strangers. */
  namesOf(signer: string): readonly string[] {
    return [...this.own(), ...this.known()].filter((card) => card.signer === signer).map(({ name }) => name)
  }

  /** `age1…`, or the name of somebody known, or of an own key. */
  recipient(word: string): string {
    if (RECIPIENT.test(word)) return word
    const found = [...this.known(), ...this.own()].find(({ name }) => name === word)?.recipient ?? null
    if (found !== null) return found
    throw new EngineError(
      'NOT_FOUND',
      `${JSON.stringify(word)} is no recipient, and nobody known by that name has one`,
      {
        hint: 'age1…, or a name from steadfold key list; steadfold key trust CARD adds one',
      },
    )
  }

  /** What somebody with that `age1…` is called here; that itself for a stranger. */
  calledBy(recipient: string): string {
    return [...this.known(), ...this.own()].find((card) => card.recipient === recipient)?.name ?? recipient
  }

  #key(name: string): Key {
    const { identity, recipient, secret } = this.#read('keys', name, keyFile)
    const der = () => createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })
    const privateKey = this.#whole('keys', name, der)
    return {
      name,
      identity,
      recipient,
      signer: signerOf(createPublicKey(privateKey)),
      sign: (bytes) => sign(null, bytes, privateKey),
    }
  }

  #names(kind: 'keys' | 'known'): readonly string[] {
    const folder = path.join(this.#home, kind)
    if (!fs.existsSync(folder)) return []
    const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json'))
    return files
      .map((file) => file.slice(0, -'.json'.length))
      .filter((name) => NAME.test(name))
      .sort()
  }

  #put(kind: 'keys' | 'known', name: string, value: object, how: 'new' | 'replace' = 'new'): void {
    if (!NAME.test(name))
      throw new EngineError('NAME_INVALID', `${JSON.stringify(name)} is no name for a key`, {
        hint: 'letters, digits, dot, hyphen and underscore, at most 64',
      })
    const folder = path.join(this.#home, kind)
    try {
      makeFolders(folder)
    } catch (error) {
      throw asFailure(error, `cannot make ${folder}`)
    }
    const other = kind === 'keys' ? 'known' : 'keys'
    if (fs.existsSync(this.#file(other, name))) throw this.#taken(other, name)
    if (!put(this.#file(kind, name), [Buffer.from(`${JSON.stringify(value)}\n`)], how)) throw this.#taken(kind, name)
  }

  #taken(kind: 'keys' | 'known', name: string): EngineError {
    const what = kind === 'keys' ? 'a key' : 'somebody known'
    return new EngineError('NAME_TAKEN', `there is ${what} as ${name} already`, {
      hint: `choose another name; nothing is replaced. It is ${this.#file(kind, name)}`,
    })
  }

  /** K1. */
  #read<T>(kind: 'keys' | 'known', name: string, schema: z.ZodMiniType<T>): T {
    const file = this.#file(kind, name)
    if (kind === 'keys' && (fs.statSync(file).mode & ONLY_OWNER) !== 0)
      throw new EngineError('WORKSPACE_UNSAFE', `others can read the key in ${file}`, {
        hint: `chmod 600 ${quoted(file)}`,
      })
    return this.#whole(kind, name, () => schema.parse(JSON.parse(fs.readFileSync(file, 'utf8'))))
  }

  #whole<T>(kind: 'keys' | 'known', name: string, read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw new EngineError('INPUT_INVALID', `${this.#file(kind, name)} holds no key`, {
        hint: 'bring it back from a copy',
        cause: error,
      })
    }
  }

  #file(kind: 'keys' | 'known', name: string): string {
    return path.join(this.#home, kind, `${name}.json`)
  }
}

/** The raw public key stands at the end of its DER form. */
const signerOf = (key: KeyObject): string =>
  `ed25519:${key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')}`

const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

export function isSignedBy(signer: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (!SIGNER.test(signer)) return false
  const raw = Buffer.from(signer.slice('ed25519:'.length), 'base64url')
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' })
  return verify(null, bytes, key, signature)
}
