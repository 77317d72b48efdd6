import { once } from 'node:events'
import * as net from 'node:net'
import { expect, test } from 'vitest'
import { Sockets } from './sockets.ts'

test('D5 a socket that its server does not close is closed all the same', async () => {
  const far: net.Socket[] = []
  const server = net.createServer({ allowHalfOpen: true }, (socket) => far.push(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // Of a server that listens at a port.
  const { port } = server.address() as net.AddressInfo
  const sockets = new Sockets()
  const socket = sockets.connect({ host: ['127.0.0.1'], port: [port], path: undefined })
  await once(socket, 'connect')
  socket.end()
  sockets.cut()
  await once(socket.resume(), 'close')
  expect(far.map(({ writable }) => writable)).toEqual([true])
  for (const each of far) each.destroy()
  server.close()
})
