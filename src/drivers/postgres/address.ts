/*
 * postgres://user@host:5432,other:5432/database?namespace=team&sslmode=verify-full&sslrootcert=ca.pem
 *
 * What is ours is taken out; the rest means what it means to other programs that speak to PostgreSQL.
 */
import * as fs from 'node:fs'
import { EngineError } from '../../kernel/error.ts'

export interface Address {
  /** For the client: with the password, without what is ours. */
  readonly url: string
  /** For people: without the password. */
  readonly shown: string
  readonly namespace: string
  /** Connections of this process, at most. */
  readonly most: number
  /** How long a call tries again while the server is away, in ms. */
  readonly patience: number
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
  readonly checkServerIdentity?: () => undefined
}

const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,39}$/
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
  const address = {
    namespace,
    most: amount(take('max', '10'), 'max', 1),
    patience: amount(take('patience', '30'), 'patience', 1000),
    timeout: amount(take('timeout', '15'), 'timeout', 1000),
    tls: tlsOf(take('sslmode', 'prefer'), take('sslrootcert', ''), take('sslcert', ''), take('sslkey', '')),
  }
  const rest = asked.size === 0 ? '' : `?${asked.toString()}`
  const shown = `${place.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@')}?namespace=${namespace}`
  return { ...address, url: `${place}${rest}`, shown }
}

function amount(text: string, name: string, unit: number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 1) return value * unit
  throw invalid(`"${name}" of the address must be a number, 1 or more, not "${text}"`, 'mend the address')
}

function tlsOf(mode: string, ca: string, cert: string, key: string): Address['tls'] {
  const known = TLS_MODES.find((each) => each === mode)
  if (known === undefined) throw invalid(`sslmode "${mode}" is not known`, `use ${TLS_MODES.join(', ')}`)
  if (known === 'disable') return false
  if ((known === 'prefer' || known === 'require') && ca === '' && cert === '') return known
  return {
    rejectUnauthorized: true,
    ...(ca === '' || ca === 'system' ? {} : { ca: read(ca, 'sslrootcert') }),
    ...(cert === '' ? {} : { cert: read(cert, 'sslcert') }),
    ...(key === '' ? {} : { key: read(key, 'sslkey') }),
    ...(known === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
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
