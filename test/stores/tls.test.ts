/* A server with a certificate of an authority that this test makes. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { sha256, temporaryFolder } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'

const dir = temporaryFolder()
const at = (name: string) => path.join(dir, name)
const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' })

function authority(name: string): string {
  const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes', '-newkey', 'rsa:2048']
  openssl('req', '-x509', ...subject, '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`))
  return at(`${name}.pem`)
}

/** For those names, signed by `ca`. */
function certificate(ca: string, names: string) {
  fs.writeFileSync(at('names'), `subjectAltName=${names}\n`)
  openssl('req', '-new', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=x', '-keyout', at('key'), '-out', at('csr'))
  const by = ['-CA', at(`${ca}.pem`), '-CAkey', at(`${ca}.key`), '-CAcreateserial']
  openssl('x509', '-req', '-in', at('csr'), ...by, '-days', '2', '-extfile', at('names'), '-out', at('cert'))
  return { cert: fs.readFileSync(at('cert'), 'utf8'), key: fs.readFileSync(at('key'), 'utf8') }
}

const servers: Server[] = []

describe.skipIf(!hasPostgres)('TLS', () => {
  let byName: Server
  let byAddress: Server
  const place = (host: string, { port }: Server) => `${host}:${port}`
  const open = (hosts: string, query: string) =>
    openPostgres({
      url: `postgres://owner@${hosts}/test?patience=1&${query}`,
      create: true,
      sha256,
      warn: () => undefined,
    })

  beforeAll(async () => {
    authority('right')
    authority('wrong')
    byName = await startPostgres([], certificate('right', 'DNS:localhost'))
    servers.push(byName)
    byAddress = await startPostgres([], certificate('right', 'IP:127.0.0.1'))
    servers.push(byAddress)
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    fs.rmSync(dir, { recursive: true, force: true })
  })

  const right = `sslrootcert=${at('right.pem')}`
  const wrong = `sslrootcert=${at('wrong.pem')}`

  test.each([
    ['its name, whose authority is ours', () => place('localhost', byName), `sslmode=verify-full&${right}`, true],
    ['its address, whose authority is ours', () => place('127.0.0.1', byAddress), `sslmode=verify-full&${right}`, true],
    ['one of two hosts', () => `127.0.0.1:1,${place('localhost', byName)}`, `sslmode=verify-full&${right}`, true],
    ['any name, when only the authority counts', () => place('127.0.0.1', byName), `sslmode=verify-ca&${right}`, true],
    ['no proof, when none is asked for', () => place('127.0.0.1', byName), 'sslmode=require', true],
    ['TLS where it is to be had', () => place('127.0.0.1', byName), 'sslmode=prefer', true],
    ['no TLS, when it is not wanted', () => place('127.0.0.1', byName), 'sslmode=disable', false],
  ])('a connection takes %s', async (_what, hosts, query, isEncrypted) => {
    const { log } = await open(hosts(), query)
    await log.create('s')
    const sql = postgres(hosts().includes(String(byName.port)) ? byName.url : byAddress.url, { max: 1 })
    const seen = await sql`select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'steadfold'`
    expect(seen.map(({ ssl }) => Boolean(ssl))).toEqual([isEncrypted])
    await Promise.all([sql.end(), log.close()])
  })

  test.each([
    ['of another authority', () => place('localhost', byName), `sslmode=verify-full&${wrong}`],
    ['of another authority, whatever its name', () => place('localhost', byName), `sslmode=verify-ca&${wrong}`],
    ['of no known authority', () => place('localhost', byName), 'sslmode=verify-full'],
    ['for another name', () => place('127.0.0.1', byName), `sslmode=verify-full&${right}`],
    ['for another address', () => place('localhost', byAddress), `sslmode=verify-full&${right}`],
  ])('a connection refuses a certificate %s', async (_what, hosts, query) => {
    await expect(open(hosts(), query)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { code: expect.stringMatching(/CERT|SIGNATURE/) },
      hint: expect.stringMatching(/^name the (authority|server)/),
    })
  })

  test.each(['require', 'verify-full'])('a server without TLS is told by %s', async (sslmode) => {
    const bare = await startPostgres()
    const opening = open(place('127.0.0.1', bare), `sslmode=${sslmode}`)
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.stringContaining('takes no TLS'),
    })
    await bare.stop()
  })
})
