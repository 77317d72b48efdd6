/* nats://user@one:4222,two:4222?namespace=team&creds=team.creds&tlsca=ca.pem&monitor=http://one:8222,http://two:8222 */
import * as fs from 'node:fs'
import { EngineError } from '../../kernel/error.ts'
import { Patience } from '../patience.ts'

export interface Address {
  readonly servers: readonly string[]
  readonly user: string | undefined
  readonly pass: string | undefined
  /** For people: without the password. */
  readonly shown: string
  readonly namespace: string
  /** With servers that are away. */
  readonly patience: Patience
  /** Of a new stream; undefined: as many as the servers are good for. */
  readonly replicas: number | undefined
  readonly creds: Uint8Array | undefined
  /** A seed. */
  readonly nkey: Uint8Array | undefined
  /** Where the servers tell of their settings. */
  readonly monitors: readonly string[]
  readonly tls: Tls | undefined
}

interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,39}$/
const KNOWN: ReadonlySet<string> = new Set(
  'namespace patience replicas creds nkey tlsca tlscert tlskey monitor'.split(' '),
)

const WRITE = 'write nats://host:4222, or several with commas: nats://one:4222,two:4222'

export function addressOf(text: string): Address {
  const [place = '', query = ''] = text.split('?', 2)
  const asked = new URLSearchParams(query)
  const unknown = [...asked.keys()].find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw invalid(`the address has no part "${unknown}"`, `use ${[...KNOWN].join(', ')}`)
  const namespace = namespaceOf(asked)
  const [, scheme = '', , named, word, hosts = ''] = /^(\w+):\/\/((.*?)(?::(.*))?@)?([^/]*)/.exec(place) ?? []
  const [user, pass] = [named, word].map((each) => (each === undefined ? undefined : decoded(each)))
  const servers = hosts.split(',')
  if (!servers.every((each) => URL.canParse(`http://${each}`))) throw invalid('a server of the address is none', WRITE)
  const replicas = asked.get('replicas')
  const [creds, nkey] = ['creds', 'nkey'].map((name) => fileOf(asked, name))
  // A user without a password is a token.
  const shownUser = pass === undefined ? '' : `${named}@`
  return {
    servers,
    user,
    pass,
    shown: `${scheme}://${shownUser}${hosts}?${shownParts(query, namespace)}`,
    namespace,
    patience: new Patience(1000 * amount(asked.get('patience') ?? '30', 'patience')),
    replicas: replicas === null ? undefined : amount(replicas, 'replicas'),
    creds,
    nkey: nkey && Buffer.from(nkey.toString('utf8').trim()),
    monitors: asked.get('monitor')?.split(',') ?? [],
    tls: tlsOf(asked, scheme),
  }
}

/** With what it takes to come to the same place again. */
const shownParts = (query: string, namespace: string): string =>
  [`namespace=${namespace}`, ...query.split('&').filter((part) => !/^namespace=|^$/.test(part))].join('&')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('user or password of the address cannot be read', 'write % as %25 there')
  }
}

function namespaceOf(asked: URLSearchParams): string {
  const namespace = asked.get('namespace') ?? 'default'
  if (NAMESPACE.test(namespace)) return namespace
  throw invalid(`"${namespace.slice(0, 60)}" is no namespace`, 'use a-z, 0-9, _ and -, at most 40')
}

function amount(text: string, name: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw invalid(`"${name}" of the address must be a whole number, 1 or more, not "${text}"`, 'mend the address')
}

function tlsOf(asked: URLSearchParams, scheme: string): Tls | undefined {
  const [ca, cert, key] = ['tlsca', 'tlscert', 'tlskey'].map((name) => {
    return fileOf(asked, name)?.toString('utf8')
  })
  if (scheme !== 'tls' && ca === undefined && cert === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

function fileOf(asked: URLSearchParams, name: string): Buffer | undefined {
  const file = asked.get(name)
  if (file === null) return undefined
  try {
    return fs.readFileSync(file)
  } catch (cause) {
    throw new EngineError('FILE_NOT_FOUND', `${name} of the address: cannot read ${file}`, { cause })
  }
}

const invalid = (message: string, hint: string): EngineError => new EngineError('INPUT_INVALID', message, { hint })
