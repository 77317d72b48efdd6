/* What the servers promise of what they acknowledge, as far as a client is told. */
import { EngineError } from '../../kernel/error.ts'
import type { Connection } from './connection.ts'

const LEAST = 209
const LEAST_TO_SYNC = 210
const MONITOR_MS = 3000

/** What `/varz` of a server says, of it what counts here. */
interface Told {
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } }
}

export function assertVersion(version = 'of no version'): void {
  if (numberOf(version) >= LEAST) return
  throw new EngineError('STORE_UNAVAILABLE', `the server is NATS ${version}`, { hint: 'use 2.9 or newer' })
}

const numberOf = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return 100 * major + minor
}

/** In words, for whoever sets a workspace up. */
export async function doubtsOf({ nats, alone, address }: Connection): Promise<readonly string[]> {
  const { version = '', cluster } = nats.info ?? {}
  const copies =
    alone && cluster !== undefined
      ? [
          'one server of the cluster keeps it: while that one is away, so is the workspace; replicas=3 of a new one asks for three',
        ]
      : []
  return [...copies, ...(await unsynced(version, address.monitors))]
}

async function unsynced(version: string, monitors: readonly string[]): Promise<readonly string[]> {
  const risk = 'a power cut may take commits that were acknowledged'
  if (numberOf(version) < LEAST_TO_SYNC)
    return [`NATS ${version} writes to the disk every two minutes, and cannot be told otherwise before 2.10: ${risk}`]
  if (monitors.length === 0)
    return [`${risk}, unless each server has jetstream { sync_interval: always }; monitor=http://HOST:8222 asks them`]
  const asked = await Promise.all(monitors.map(doubtOf))
  return asked.filter((doubt) => doubt !== undefined).map((doubt) => `${doubt}: ${risk}`)
}

async function doubtOf(monitor: string): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL('/varz', monitor), { signal: AbortSignal.timeout(MONITOR_MS) })
    // Any other form says nothing, and is a doubt.
    const told = (await answer.json()) as Told
    if (told.jetstream?.config?.sync_always === true) return undefined
    return `${monitor} has no jetstream { sync_interval: always }`
  } catch {
    return `${monitor} does not tell whether it has jetstream { sync_interval: always }`
  }
}
