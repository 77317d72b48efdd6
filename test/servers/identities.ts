/* Certificates and credentials of their own for servers of a test. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { nkeys } from '@nats-io/transport-node'

export const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0

if (!hasOpenssl)
  process.stderr.write('\nNO OPENSSL HERE: TLS of NATS is left out; apt-get install openssl, or see .ci/run\n\n')

export interface Certificates {
  readonly ca: string
  /** Of another authority, which signed nothing here. */
  readonly strange: string
  readonly server: Pair
  readonly client: Pair
}

interface Pair {
  readonly cert: string
  readonly key: string
}

export function certificates(dir: string): Certificates {
  const at = (name: string) => path.join(dir, name)
  const openssl = (...words: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`)
  }
  const newKey = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    at(name),
  ]
  const authority = (name: string) => {
    openssl('req', '-x509', ...newKey(`${name}.key`), '-subj', `/CN=${name}`, '-days', '2', '-out', at(`${name}.pem`))
    return at(`${name}.pem`)
  }
  const [ca, strange] = [authority('ca'), authority('strange')]
  const signed = (name: string): Pair => {
    const [request, extras] = [at(`${name}.csr`), at(`${name}.ext`)]
    openssl('req', ...newKey(`${name}.key`), '-subj', `/CN=${name}`, '-out', request)
    fs.writeFileSync(extras, 'subjectAltName=IP:127.0.0.1,DNS:localhost\n')
    const by = ['-CA', ca, '-CAkey', at('ca.key'), '-CAcreateserial']
    openssl('x509', '-req', '-in', request, ...by, '-days', '2', '-extfile', extras, '-out', at(`${name}.pem`))
    return { cert: at(`${name}.pem`), key: at(`${name}.key`) }
  }
  return { ca, strange, server: signed('server'), client: signed('client') }
}

/** A user by its key alone: what the server is told, and the file with the seed. */
export function userKey(dir: string): { readonly name: string; readonly file: string } {
  const user = nkeys.createUser()
  return { name: user.getPublicKey(), file: written(dir, 'user.nk', text(user.getSeed())) }
}

/** An operator with an account: what the server is told, and files of credentials of a user and of a stranger. */
export function operator(dir: string) {
  const [root, account, system, user, stranger] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createUser(),
    nkeys.createAccount(),
  ]
  const limits = { subs: -1, data: -1, payload: -1 }
  const wide = { ...limits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
  const stores = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accounts = [
    signed(root, account, { type: 'account', limits: { ...wide, ...stores } }),
    signed(root, system, { type: 'account', limits: wide }),
  ] as const
  const told = written(dir, 'operator.jwt', signed(root, root, { type: 'operator' }))
  const more = `operator: "${told}"
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${accounts[0]}", ${system.getPublicKey()}: "${accounts[1]}" }`
  const credentials = (name: string, by: nkeys.KeyPair) =>
    written(
      dir,
      name,
      `-----BEGIN NATS USER JWT-----\n${signed(by, user, { type: 'user', ...limits })}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${text(user.getSeed())}\n------END USER NKEY SEED------\n`,
    )
  return { more, user: credentials('user.creds', account), stranger: credentials('stranger.creds', stranger) }
}

function signed(by: nkeys.KeyPair, subject: nkeys.KeyPair, claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const said = {
    jti: subject.getPublicKey(),
    iat: Math.floor(Date.now() / 1000),
    iss: by.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
    nats: { version: 2, ...claims },
  }
  const body = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(said)}`
  return `${body}.${Buffer.from(by.sign(Buffer.from(body))).toString('base64url')}`
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

function written(dir: string, name: string, content: string): string {
  const file = path.join(dir, name)
  fs.writeFileSync(file, content, { mode: 0o600 })
  return file
}
