import { randomInt } from 'node:crypto'
import * as net from 'node:net'

/** The system gives none of these to who connects, or listens wherever it may: they stay free while nobody listens there. */
const [FIRST, END] = [20_000, 32_000]

/** A port of loopback that nobody has now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
