/* What the servers promise of what they acknowledge, as far as a client is told. */
import { EngineError } from '../../kernel/error.ts'

const LEAST = 20_900
/** The first that can be told when to sync. */
const CAN_SYNC = 21_000
/** The first that takes back what was not acknowledged, as its makers say. */
const TAKES_BACK = 21_022
const MONITOR_MS = 3000
const RISK = 'a power cut may take acknowledged commits'
const SYNCS = 'jetstream { sync_interval: always }'

export interface Setting {
  readonly version: string
  readonly clustered: boolean
  /** One server keeps the stream. */
  readonly alone: boolean
  /** Addresses where servers tell of themselves. */
  readonly monitors: readonly string[]
}

/** What `/varz` of a server says, of it what counts here. */
interface Told {
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } }
}

export function assertVersion(version: string): void {
  if (numberOf(version) >= LEAST) return
  throw new EngineError('STORE_UNAVAILABLE', `the server is NATS ${version}`, { hint: 'use 2.9 or newer' })
}

function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  return 10_000 * major + 100 * minor + (Number.isNaN(patch) ? 0 : patch)
}

/** In words, for whoever sets a workspace up. */
export async function doubtsOf({ version, clustered, alone, monitors }: Setting): Promise<readonly string[]> {
  const doubts = await unsynced(version, monitors)
  if (alone && clustered)
    return [...doubts, 'one server of the cluster keeps the logs: while that one is away, so is the workspace']
  if (alone || numberOf(version) >= TAKES_BACK) return doubts
  const kept = 'a server that is cut off while it leads may keep another history than the others'
  return [...doubts, `${kept}: renew its copy after a partition, or use NATS 2.10.22 or newer, not ${version}`]
}

async function unsynced(version: string, monitors: readonly string[]): Promise<readonly string[]> {
  if (numberOf(version) < CAN_SYNC)
    return [`${RISK}: NATS ${version} syncs every two minutes, and cannot be told otherwise before 2.10`]
  if (monitors.length === 0)
    return [`${RISK}, unless each server has ${SYNCS}; monitor=http://HOST:8222 in the address asks them`]
  const asked = await Promise.all(monitors.map(doubtOf))
  return asked.filter((doubt) => doubt !== undefined).map((doubt) => `${RISK}: ${doubt}`)
}

async function doubtOf(monitor: string): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL('/varz', monitor), { signal: AbortSignal.timeout(MONITOR_MS) })
    // Any other form says nothing, and is a doubt.
    const told = (await answer.json()) as Told
    if (told.jetstream?.config?.sync_always === true) return undefined
    return `${monitor} has no ${SYNCS}`
  } catch {
    return `${monitor} does not tell whether it has ${SYNCS}`
  }
}
