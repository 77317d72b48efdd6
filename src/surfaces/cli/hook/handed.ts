import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whoever hands something in does it at once; a stdin that stays open and silent is somebody else's. */
const SOON_MS = 200

/** What stands on stdin by then. */
export async function handedSoon(isTerminal: boolean): Promise<string> {
  if (isTerminal) return ''
  const { stdin } = process
  const chunks: Buffer[] = []
  stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
  const late = new AbortController()
  await Promise.race([once(stdin, 'end'), sleep(SOON_MS, undefined, { signal: late.signal })])
  late.abort()
  stdin.destroy()
  return Buffer.concat(chunks).toString('utf8')
}
