/* The ways into NATS servers: TLS, and who may come in. */
import * as fs from 'node:fs'
import * as http from 'node:http'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openNats } from '../../src/drivers/nats/open.ts'
import { doubtsOf } from '../../src/drivers/nats/promises.ts'
import { START } from '../../src/kernel/log/chain.ts'
import { chainOf, sha256, temporaryFolder, together } from '../conformance/kit.ts'
import { certificates, hasOpenssl, operator, userKey } from '../servers/identities.ts'
import { hasNats, startNats, type Servers } from '../servers/nats.ts'

const dir = temporaryFolder()
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

let servers: Servers | undefined
afterEach(async () => {
  await servers?.stop()
  servers = undefined
})

const open = (url: string) => openNats({ url, create: true, sha256, warn: () => undefined })

/** A commit goes in and comes back. */
async function works(url: string): Promise<void> {
  const { log, shown } = await open(url)
  await log.create('s')
  const answer = await log.append('s', together(...chainOf(1, START)), START)
  expect(answer.kind).toBe('appended')
  expect(await log.peek('s', START)).not.toHaveLength(0)
  expect(shown).not.toMatch(/secret/)
  await log.close()
}

const fails = (url: string, message: RegExp) =>
  expect(open(url)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) })

describe.skipIf(!hasNats)('who may come in', () => {
  test('a user with a password, and nobody else', async () => {
    servers = await startNats(1, 'authorization { user: team, password: "secret:/@" }')
    const { address } = servers.nodes[0] ?? { address: '' }
    await works(`nats://team:${encodeURIComponent('secret:/@')}@${address}`)
    await fails(`nats://team:wrong@${address}`, /^cannot open nats:\/\/team@.*: .*Authorization Violation/i)
    await fails(`nats://${address}`, /Authorization Violation/i)
  })

  test('a user who may not purge writes, and does not archive', async () => {
    const deny = 'permissions: { publish: { deny: "$JS.API.STREAM.PURGE.STEADFOLD_default" } }'
    servers = await startNats(1, `authorization { users: [ { user: team, password: secret, ${deny} } ] }`)
    const { address } = servers.nodes[0] ?? { address: '' }
    const url = `nats://team:secret@${address}`
    await works(url)
    const { log } = await open(url)
    await expect(log.archive('s')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/may not be purged/),
    })
    expect(await log.exists('s')).toBe(true)
    await log.close()
  })

  test('a token, which is not shown', async () => {
    servers = await startNats(1, 'authorization { token: secret }')
    const { address } = servers.nodes[0] ?? { address: '' }
    await works(`nats://secret@${address}`)
    await fails(`nats://stranger@${address}`, /^cannot open nats:\/\/127/)
  })

  test('the seed of a key', async () => {
    const key = userKey(dir)
    servers = await startNats(1, `authorization { users: [ { nkey: ${key.name} } ] }`)
    const { address } = servers.nodes[0] ?? { address: '' }
    await works(`nats://${address}?nkey=${key.file}`)
    await fails(`nats://${address}?nkey=${userKey(dir).file}`, /Authorization Violation/i)
    await expect(open(`nats://${address}?nkey=/nowhere`)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})

describe.skipIf(!hasNats || !hasOpenssl)('TLS', () => {
  const made = () => certificates(fs.mkdtempSync(`${dir}/tls-`))

  test('a file of credentials over TLS; the certificate of the server is checked', async () => {
    const { ca, strange, server } = made()
    const { more, user, stranger } = operator(dir)
    servers = await startNats(1, `${more}\ntls { cert_file: "${server.cert}", key_file: "${server.key}" }`)
    const { address } = servers.nodes[0] ?? { address: '' }
    await works(`nats://${address}?creds=${user}&tlsca=${ca}`)
    await works(`tls://${address}?creds=${user}&tlsca=${ca}`)
    await fails(`nats://${address}?creds=${stranger}&tlsca=${ca}`, /Authorization Violation/i)
    await fails(`nats://${address}?creds=${user}&tlsca=${strange}`, /certificate/)
    await fails(`tls://${address}?creds=${user}`, /certificate/)
  })

  test('a certificate of the client, where the server asks for one', async () => {
    const { ca, server, client } = made()
    const tls = `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }`
    servers = await startNats(1, `${tls}\nauthorization { user: team, password: secret }`)
    const { address } = servers.nodes[0] ?? { address: '' }
    const mine = `&tlscert=${client.cert}&tlskey=${client.key}`
    await works(`tls://team:secret@${address}?tlsca=${ca}${mine}`)
    await fails(`tls://team:secret@${address}?tlsca=${ca}`, /certificate|closed|alert|timeout/)
  })
})

describe('what is not covered', () => {
  /** As a server with that setting tells of itself. */
  async function monitor(config: object): Promise<{ readonly url: string; stop(): void }> {
    const server = http.createServer((_, response) => response.end(JSON.stringify({ jetstream: { config } })))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
  }

  test('servers are asked whether they sync; what they do not say is a doubt', async () => {
    const [always, seldom] = [await monitor({ sync_always: true }), await monitor({ sync_interval: 120e9 })]
    const asked = (monitors: readonly string[]) =>
      doubtsOf({ version: '2.12.1', clustered: true, alone: false, monitors })
    expect(await asked([])).toEqual([
      expect.stringContaining('unless each server has jetstream { sync_interval: always }'),
    ])
    expect(await asked([always.url])).toEqual([])
    const doubts = await asked([always.url, seldom.url, 'http://127.0.0.1:1', 'nonsense'])
    expect(doubts).toEqual([
      expect.stringContaining(`a power cut may take acknowledged commits: ${seldom.url} has no jetstream`),
      expect.stringContaining('http://127.0.0.1:1 does not tell'),
      expect.stringContaining('nonsense does not tell'),
    ])
    always.stop()
    seldom.stop()
  })

  test('an old version cannot sync, and may keep what was not acknowledged', async () => {
    const of = (version: string, alone: boolean) => doubtsOf({ version, clustered: !alone, alone, monitors: [] })
    expect(await of('2.9.10', true)).toEqual([expect.stringContaining('every two minutes')])
    expect(await of('2.10.21', false)).toEqual([
      expect.stringContaining('a power cut'),
      expect.stringContaining('renew its copy after a partition'),
    ])
    expect(await of('2.10.22-RC.1', false)).toHaveLength(1)
  })

  test.skipIf(!hasNats)('one copy in a cluster is said; three need a cluster', async () => {
    servers = await startNats()
    await expect(open(`${servers.url}?replicas=3`)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await servers.stop()
    servers = await startNats(3)
    const one = await open(`${servers.url}?replicas=1&namespace=one`)
    const three = await open(`${servers.url}?namespace=three`)
    expect(one.doubts).toContainEqual(expect.stringContaining('one server of the cluster keeps the logs'))
    expect(three.doubts).not.toContainEqual(expect.stringContaining('one server of the cluster'))
    await Promise.all([one.log.close(), three.log.close()])
  })
})
