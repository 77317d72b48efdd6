import * as net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { closingSilent } from './silent.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** The port of a server that says `word`, or nothing. */
async function serving(word: string): Promise<number> {
  const server = net.createServer((socket) => {
    open.push(() => socket.destroy())
    socket.on('error', () => undefined)
    if (word !== '') socket.write(word)
  })
  open.push(() => server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // Of a server that listens at a port.
  return (server.address() as net.AddressInfo).port
}

async function connection(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1')
  open.push(() => socket.destroy())
  await new Promise((done) => socket.on('connect', done))
  return socket
}

const watching = (port: number): (() => void) => {
  const stop = closingSilent([`127.0.0.1:${port}`], 50)
  open.push(stop)
  return stop
}

test('a connection that says nothing is closed, not one that speaks, nor one to elsewhere', async () => {
  const [silent, other, speaking] = [await serving(''), await serving(''), await serving('INFO')]
  watching(silent)
  watching(speaking)
  const sockets = [await connection(silent), await connection(other), await connection(speaking)]
  for (const socket of sockets) socket.resume()
  await new Promise((done) => sockets[0]?.on('close', done))
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
})

test('however many workspaces are open, a socket is listened to once, and not when the last is closed', async () => {
  const port = await serving('INFO')
  const stops = Array.from({ length: 12 }, () => watching(port))
  const listeners = () => {
    const socket = net.connect(port, '127.0.0.1')
    open.push(() => socket.destroy())
    return socket.listenerCount('connectionAttempt')
  }
  expect(listeners()).toBe(1)
  for (const stop of stops.slice(1)) stop()
  expect(listeners()).toBe(1)
  stops[0]?.()
  expect(listeners()).toBe(0)
})
