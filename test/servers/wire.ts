import * as net from 'node:net'

/** Between a program and a server: a network that, once it is cut, takes everything and delivers nothing. */
export interface Wire {
  readonly port: number
  cut(): void
  mend(): void
  stop(): void
}

export async function wireTo(target: number): Promise<Wire> {
  const sockets = new Set<net.Socket>()
  let isCut = false
  const kept = (socket: net.Socket): net.Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  // Who says goodbye is not answered.
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    kept(near)
    if (isCut) return
    const far = kept(net.connect({ port: target, host: '127.0.0.1', allowHalfOpen: true }))
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    // Of a server that listens at a port.
    port: (server.address() as net.AddressInfo).port,
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    mend: () => {
      isCut = false
      end()
    },
    stop: () => {
      end()
      server.close()
    },
  }
}
