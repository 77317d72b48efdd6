/* A server that is there, and takes nobody yet. */
import * as net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/drivers/postgres/open.ts'
import { sha256 } from '../conformance/kit.ts'
import { hasPostgres, startPostgres, type Server } from '../servers/postgres.ts'

/** The answer to a connection: no, with that code. */
function refusal(code: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mnot now\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

describe.skipIf(!hasPostgres)('a server that takes nobody yet', () => {
  let server: Server
  const doors: net.Server[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const door of doors) door.close()
    await server.stop()
  })

  /** Before the server: says no so many times, then lets in. */
  async function door(code: string, times: number) {
    let left = times
    const made = net.createServer((socket) => {
      socket.on('error', () => undefined)
      if (left-- > 0) return void socket.once('data', () => socket.end(refusal(code)))
      const there = net.connect(server.port, '127.0.0.1').on('error', () => undefined)
      return void socket.pipe(there).pipe(socket)
    })
    doors.push(made)
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
    const at = made.address()
    return `postgres://owner@127.0.0.1:${typeof at === 'object' ? at?.port : 0}/test?sslmode=disable`
  }
  const open = (url: string) => openPostgres({ url, create: true, sha256, warn: () => undefined })

  test.each([
    ['has no connection left', '53300'],
    ['starts', '57P03'],
  ])('one that %s is asked again', async (_what, code) => {
    const { log } = await open(await door(code, 3))
    await log.create('s')
    expect(await log.exists('s')).toBe(true)
    await log.close()
  })

  test('patience has an end, and then it is said what to do', async () => {
    const full = open(`${await door('53300', Infinity)}&patience=1`)
    await expect(full).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', hint: expect.stringContaining('max') })
  })

  test('a wrong password is not tried again', async () => {
    await expect(open(await door('28P01', 1))).rejects.toMatchObject({ hint: expect.stringContaining('password') })
  })
})
