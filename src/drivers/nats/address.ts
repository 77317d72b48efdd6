/* nats://user@one:4222,two:4222?namespace=team&creds=team.creds&tlsca=ca.pem */
import * as fs from 'node:fs'
import { EngineError } from '../../kernel/error.ts'

export interface Address {
  readonly servers: readonly string[]
  readonly user?: string
  readonly pass?: string
  /** For people: without the password. */
  readonly shown: string
  readonly namespace: string
  /** How long a call tries again while the servers are away, in ms. */
  readonly patience: number
  /** Of a new stream; undefined: one. */
  readonly replicas: number | undefined
  readonly creds: Uint8Array | undefined
  readonly tls: Tls | undefined
}

interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,39}$/
const KNOWN: ReadonlySet<string> = new Set(['namespace', 'patience', 'replicas', 'creds', 'tlsca', 'tlscert', 'tlskey'])

export function addressOf(text: string): Address {
  const [place = '', query = ''] = text.split('?', 2)
  const asked = new URLSearchParams(query)
  const unknown = [...asked.keys()].find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw invalid(`the address has no part "${unknown}"`, `use ${[...KNOWN].join(', ')}`)
  const namespace = asked.get('namespace') ?? 'default'
  if (!NAMESPACE.test(namespace))
    throw invalid(`"${namespace.slice(0, 60)}" is no namespace`, 'use a-z, 0-9, _ and -, at most 40')
  const [, scheme = '', , user, pass, hosts = ''] = /^(\w+):\/\/((.*?)(?::(.*))?@)?([^/]*)/.exec(place) ?? []
  const replicas = asked.get('replicas')
  const creds = asked.get('creds')
  const tls = tlsOf(asked, scheme)
  return {
    servers: hosts.split(','),
    ...(user === undefined ? {} : { user: decodeURIComponent(user) }),
    ...(pass === undefined ? {} : { pass: decodeURIComponent(pass) }),
    shown: `${scheme}://${user === undefined ? '' : `${user}@`}${hosts}?namespace=${namespace}`,
    namespace,
    patience: 1000 * amount(asked.get('patience') ?? '30', 'patience'),
    replicas: replicas === null ? undefined : amount(replicas, 'replicas'),
    creds: creds === null ? undefined : read(creds, 'creds'),
    tls,
  }
}

function amount(text: string, name: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw invalid(`"${name}" of the address must be a whole number, 1 or more, not "${text}"`, 'mend the address')
}

function tlsOf(asked: URLSearchParams, scheme: string): Tls | undefined {
  const [ca, cert, key] = ['tlsca', 'tlscert', 'tlskey'].map((name) => {
    const file = asked.get(name)
    return file === null ? undefined : read(file, name).toString('utf8')
  })
  if (scheme !== 'tls' && ca === undefined && cert === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

function read(file: string, name: string): Buffer {
  try {
    return fs.readFileSync(file)
  } catch (cause) {
    throw new EngineError('FILE_NOT_FOUND', `${name} of the address: cannot read ${file}`, { cause })
  }
}

const invalid = (message: string, hint: string): EngineError => new EngineError('INPUT_INVALID', message, { hint })
