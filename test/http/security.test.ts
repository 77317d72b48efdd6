/*
 * What a page of another site, a rebound name, a careless program or a hostile one can ask of the daemon. Each guard was
 * seen to turn a test red when its line was taken away.
 */
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Served, type Reply } from './served.ts'

let served: Served
const hasIpv6 = Object.values(os.networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
const SESSION = '/v1/sessions/a'
const write = (headers: Readonly<Record<string, string | undefined>>, body: unknown = { path: 'data.x', value: 1 }) =>
  served.ask('POST', `${SESSION}/state.set`, { headers, body })
const read = (headers: Readonly<Record<string, string | undefined>>) => served.ask('GET', '/v1/sessions', { headers })
const codeOf = ({ text }: Reply) => (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code

beforeAll(async () => {
  served = await Served.open()
  await (await served.workspace.createSession({ name: 'a' })).close()
})
afterAll(() => served.remove())

describe('G1. the name asked for is one of ours', () => {
  test('G1. all three of our names are answered', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      expect((await read({ Host: `${name}:${served.port}` })).status, name).toBe(200)
  })

  test('G1. any other name is turned away, whoever forwards it, before the token is looked at', async () => {
    const { port } = served
    const names = [
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.1:${port + 1}`,
      `127.0.0.1`,
      `LOCALHOST:${port}`,
      `user@127.0.0.1:${port}`,
    ]
    for (const Host of names) {
      const reply = await read({ Host, 'X-Forwarded-Host': served.host, Authorization: undefined })
      expect([400, 421], Host).toContain(reply.status)
    }
    for (const Host of ['', undefined]) expect([400, 421]).toContain((await read({ Host })).status)
  })

  test('G1. two names are none', async () => {
    const reply = await served.raw(
      `GET /v1 HTTP/1.1\r\nHost: ${served.host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    )
    expect([400, 421]).toContain(reply.status)
  })
})

describe('G2 and G4. pages of other sites', () => {
  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'G2. a request with Origin %s is refused and told nothing',
    async (Origin) => {
      for (const reply of [await write({ Origin }), await read({ Origin })]) {
        expect(reply.status).toBe(403)
        expect(codeOf(reply)).toBe('ORIGIN_REFUSED')
        expect(reply.headers['access-control-allow-origin']).toBeUndefined()
      }
    },
  )

  test('G2. our own address with another port or scheme is another site', async () => {
    for (const Origin of [`http://127.0.0.1:${served.port + 1}`, `https://${served.host}`])
      expect((await write({ Origin })).status).toBe(403)
    expect((await write({ Origin: `http://${served.host}` })).status).toBe(200)
  })

  test('G2. what the browser says of the site counts', async () => {
    for (const site of ['cross-site', 'same-site', 'anything']) {
      expect((await write({ 'Sec-Fetch-Site': site })).status, site).toBe(403)
      expect((await read({ 'Sec-Fetch-Site': site })).status, site).toBe(403)
    }
    for (const site of ['same-origin', 'none']) expect((await read({ 'Sec-Fetch-Site': site })).status).toBe(200)
  })

  test('G4. a question before a request of another site gets no permission', async () => {
    const { status, headers } = await served.ask('OPTIONS', `${SESSION}/state.set`, {
      headers: {
        Authorization: undefined,
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
        'Access-Control-Request-Private-Network': 'true',
      },
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('K. who may ask', () => {
  test('K. nothing is told without the token, and it counts only in its place', async () => {
    const { token } = served.record
    const wrong = 'x'.repeat(token.length)
    for (const Authorization of [
      undefined,
      '',
      'Bearer ',
      `Bearer ${wrong}`,
      `Basic ${token}`,
      token,
      `bearer  ${token}`,
    ]) {
      const reply = await read({ Authorization })
      expect(reply.status, Authorization).toBe(401)
      expect(codeOf(reply)).toBe('TOKEN_INVALID')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await read({ Authorization: `${scheme} ${token}` })).status).toBe(200)
    const inQuery = await served.ask('GET', `/v1/sessions?token=${token}`, { headers: { Authorization: undefined } })
    expect(inQuery.status).toBe(401)
    expect(token.length).toBeGreaterThanOrEqual(43)
  })

  test('K. the file of the token is ours alone', () => {
    const { mode } = fs.lstatSync(served.file)
    expect(mode & 0o777).toBe(0o600)
    expect(fs.statSync(`${served.dir}/.steadfold`).mode & 0o077).toBe(0)
  })

  test('K1. a link opens once and becomes a cookie that scripts cannot read', async () => {
    const word = new URL(served.daemon.link()).hash.slice('#token='.length)
    const login = () =>
      served.ask('POST', '/v1/login', { headers: { Authorization: undefined }, body: { token: word } })
    const [first, second] = [await login(), await login()]
    expect([first.status, second.status]).toEqual([200, 401])
    const set = first.headers['set-cookie'] ?? ''
    expect(set).toMatch(/^steadfold-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(set).not.toContain(served.record.token)
    const Cookie = set.split(';')[0] ?? ''
    const asPage = { Authorization: undefined, Cookie }
    expect((await read(asPage)).status).toBe(200)
    expect((await read({ ...asPage, Cookie: `${Cookie}x` })).status).toBe(401)
    // G3
    expect((await write(asPage)).status).toBe(403)
    expect((await write({ ...asPage, Origin: `http://${served.host}` })).status).toBe(200)
  })

  test('K1. a fresh link is for those who have the token', async () => {
    expect((await served.ask('POST', '/v1/links', { headers: { Authorization: undefined } })).status).toBe(401)
    const { url } = await served.data<{ readonly url: string }>('POST', '/v1/links')
    expect(url).toMatch(new RegExp(`^http://${served.host}/#token=[\\w-]{43}$`))
  })
})

describe('what every answer says to browsers', () => {
  test('pages run our own files only, are framed by nobody and hold no token', async () => {
    const page = await served.ask('GET', '/', { headers: { Authorization: undefined } })
    expect(page.status).toBe(200)
    const policy = page.headers['content-security-policy'] ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.text).not.toContain(served.record.token)
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|javascript:/i)
  })

  test('answers, errors among them, are kept by nobody and are what they say', async () => {
    for (const reply of [await read({}), await read({ Authorization: undefined }), await read({ Host: 'x' })]) {
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(reply.headers['server'] ?? reply.headers['x-powered-by']).toBeUndefined()
    }
  })

  test('D4. it listens on this machine alone, at both of its addresses', async () => {
    const open = ['tcp', 'tcp6'].flatMap((file) =>
      fs.readFileSync(`/proc/net/${file}`, 'utf8').trim().split('\n').slice(1),
    )
    const ours = open
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, local = '', , state]) => state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === served.port,
      )
    expect(ours.map(([, local]) => local?.split(':')[0])).toEqual(
      hasIpv6 ? ['0100007F', '00000000000000000000000001000000'] : ['0100007F'],
    )
  })

  test.skipIf(!hasIpv6)('D4. at ::1 the same is answered, and the same refused', async () => {
    const ask = (head: string) => served.raw(`GET /v1 HTTP/1.1\r\nConnection: close\r\n${head}\r\n\r\n`, '::1')
    const token = `Authorization: Bearer ${served.record.token}`
    expect((await ask(`Host: [::1]:${served.port}\r\n${token}`)).status).toBe(200)
    expect((await ask(`Host: [::1]:${served.port}`)).status).toBe(401)
    for (const name of ['[::1]', `[::]:${served.port}`, `[::ffff:127.0.0.1]:${served.port}`, `::1:${served.port}`])
      expect([400, 421], name).toContain((await ask(`Host: ${name}\r\n${token}`)).status)
  })

  test.skipIf(!hasIpv6)('D4. a port that another program has at ::1 is not taken', async () => {
    const other = net.createServer()
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '::1', () => resolve((other.address() as net.AddressInfo).port))
    })
    const free = await Served.open()
    await free.stop()
    await expect(free.start(port)).rejects.toMatchObject({ code: 'PORT_TAKEN' })
    await free.workspace.close()
    other.close()
    fs.rmSync(free.dir, { recursive: true })
  })
})
