/*
 * postgres://user@host:5432,other:5432/database?namespace=team&sslmode=verify-full&sslrootcert=ca.pem
 *
 * What is ours is taken out; the rest means what it means to other programs that speak to PostgreSQL.
 */
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { EngineError } from '../../kernel/error.ts'
import { Patience } from '../patience.ts'
import { hostsIn, type Host } from './hosts.ts'

export interface Address {
  /** For the client: with the password, without what is ours. */
  readonly hosts: readonly Host[]
  /** What a server must be. */
  readonly attrs: 'primary' | 'standby' | 'prefer-standby' | undefined
  /** For people: without the password. */
  readonly shown: string
  /** Empty: the one that the client takes without it. */
  readonly database: string
  readonly namespace: string
  /** Connections of this process, at most. */
  readonly most: number
  /** With a server that is away. */
  readonly patience: Patience
  /** What a statement may take on the server, in ms. */
  readonly timeout: number
  readonly tls: false | 'prefer' | 'require' | Tls
}

export interface Tls {
  readonly rejectUnauthorized: true
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** `verify-ca` asks who signed, not for whom. */
  readonly checkServerIdentity: (name: string, cert: tls.PeerCertificate) => Error | undefined
}

const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,39}$/
/** Of libpq, which hosters write for all: handed on they would be settings that no server knows. */
const OTHERS =
  /^(channel_binding|gss\w+|krbsrvname|keepalives\w*|tcp_user_timeout|ssl\w+|require_auth|load_balance_hosts)$/
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export function addressOf(text: string): Address {
  const [place = '', query = ''] = text.split('?', 2)
  const asked = new URLSearchParams(query)
  const take = (name: string, fallback: string): string => {
    const value = asked.get(name) ?? fallback
    asked.delete(name)
    return value
  }
  const namespace = take('namespace', 'default')
  if (!NAMESPACE.test(namespace))
    throw invalid(`"${namespace.slice(0, 60)}" is no namespace`, 'use a-z, 0-9, _ and -, at most 40')
  const [mode, ...files] = [take('sslmode', 'prefer'), take('sslrootcert', ''), take('sslcert', ''), take('sslkey', '')]
  const [most, patience, timeout] = [take('max', '10'), take('patience', '30'), take('timeout', '15')]
  const other = [...asked.keys()].find((name) => OTHERS.test(name))
  if (other !== undefined) throw invalid(`"${other}" of the address is not known here`, 'leave it out')
  const hosts = hostsIn(place, asked.size === 0 ? '' : `?${asked.toString()}`)
  return {
    hosts,
    database: databaseOf(hosts),
    shown: `${place.replace(/\/\/([^:@/]*):[^/]*@/, '//$1@')}?${shownParts(query, namespace)}`,
    namespace,
    most: amount(most, 'max', 1),
    patience: new Patience(amount(patience, 'patience', 1000)),
    timeout: amount(timeout, 'timeout', 1000),
    attrs: attrsOf(asked.get('target_session_attrs')),
    tls: tlsOf(mode, files, hosts),
  }
}

/** With what it takes to come to the same place again, but the password. */
const shownParts = (query: string, namespace: string): string =>
  [`namespace=${namespace}`, ...query.split('&').filter((part) => !/^(namespace|password)=|^$/.test(part))].join('&')

/** As the server calls it; the client would ask for what stands in the address. Throws where the address is none. */
function databaseOf(hosts: readonly Host[]): string {
  try {
    const [database = ''] = hosts.map(({ url }) => {
      const { username, password, pathname, hash } = new URL(url)
      if (hash !== '') throw new Error('it holds a #')
      const [name = ''] = [pathname.slice(1), username, password].map(decodeURIComponent)
      return name
    })
    return database
  } catch (cause) {
    throw new EngineError('INPUT_INVALID', 'the address of the database is none: host, port or a character is wrong', {
      hint: 'write postgres://user@host:5432/database; in a password write / as %2F, # as %23, ? as %3F, % as %25',
      cause,
    })
  }
}

/**
 * Writes go to the server that takes them, unless the address says otherwise. A standby since PostgreSQL 14 tells of
 * itself in words that the client does not take for read-only, so it is asked by its role.
 */
function attrsOf(asked: string | null): Address['attrs'] {
  if (asked === 'any') return undefined
  const known = ['primary', 'standby', 'prefer-standby'] as const
  return asked === 'read-only' ? 'standby' : (known.find((each) => each === asked) ?? 'primary')
}

function amount(text: string, name: string, unit: number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 1) return value * unit
  throw invalid(`"${name}" of the address must be a number, 1 or more, not "${text}"`, 'mend the address')
}

function tlsOf(mode = '', files: readonly string[], hosts: readonly Host[]): Address['tls'] {
  const known = TLS_MODES.find((each) => each === mode)
  if (known === undefined) throw invalid(`sslmode "${mode}" is not known`, `use ${TLS_MODES.join(', ')}`)
  if (known === 'disable') return false
  const [ca, cert, key] = files
  if ((known === 'prefer' || known === 'require') && ca === '' && cert === '') return known
  return {
    rejectUnauthorized: true,
    ...(ca === 'system' ? {} : pem('ca', ca, 'sslrootcert')),
    ...pem('cert', cert, 'sslcert'),
    ...pem('key', key, 'sslkey'),
    checkServerIdentity: known === 'verify-full' ? (name, given) => identity(name, given, hosts) : () => undefined,
  }
}

const pem = (member: 'ca' | 'cert' | 'key', file = '', name: string): Partial<Tls> =>
  file === '' ? {} : { [member]: read(file, name) }

/** Of a host that is an IP address the client does not tell the name: then any of those in the address will do. */
function identity(name: string, cert: tls.PeerCertificate, hosts: readonly Host[]): Error | undefined {
  const isNamed = hosts.some(({ host }) => host === name)
  const addresses = hosts.map(({ host }) => host).filter((host) => net.isIP(host) !== 0)
  const others = isNamed && name !== 'localhost' ? [] : addresses
  const wrong = [...(isNamed || others.length === 0 ? [name] : []), ...others].map((host) =>
    tls.checkServerIdentity(host, cert),
  )
  return wrong.includes(undefined) ? undefined : wrong[0]
}

function read(file: string, name: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (cause) {
    throw new EngineError('FILE_NOT_FOUND', `${name} of the address: cannot read ${file}`, {
      hint: 'name a file in PEM form',
      cause,
    })
  }
}

const invalid = (message: string, hint: string): EngineError => new EngineError('INPUT_INVALID', message, { hint })
