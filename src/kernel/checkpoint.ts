/*
 * State at a sequence number, with its hash: a cache that may always be deleted.
 *
 *   {"v":1,"seq":…,"commit":"<hash of that commit>","at":…,"segment":…,"offset":…,"keys":[[key,seq],…],
 *    "state_hash":"<sha-256>","state_sum":"<sha-256>","check":"<sha-256>","state":{…}}
 *
 * K1. `state` keeps the order of members, so that a value reads the same with and without a checkpoint; `state_sum` is
 *     the hash of its bytes as they stand, `state_hash` that of its canonical form (RFC 8785).
 * K2. `check` is the hash of everything before it, closed by a brace; `check` and `state_sum` are checked before a byte is
 *     believed.
 * K3. It is made of durable commits only: a checkpoint ahead of its log proves that the log lost its tail.
 */
import { canonicalJson } from './canonical-json.ts'
import type { Tree } from './module.ts'
import type { Host, Position } from './ports.ts'

export interface Checkpoint {
  readonly position: Position
  readonly at: string
  readonly keys: ReadonlyMap<string, number>
  readonly stateHash: string
  readonly state: Tree
  /** Bytes of the file. */
  readonly bytes: number
}

interface Head {
  readonly v: number
  readonly seq: number
  readonly commit: string
  readonly at: string
  readonly segment: number
  readonly offset: number
  readonly keys: readonly (readonly [string, number])[]
  readonly state_hash: string
  readonly state_sum: string
}

const CHECK = ',"check":"'
const STATE = '","state":'

export const stateHash = (state: Readonly<Tree>, sha256: Host['sha256']): string => sha256(canonicalJson(state))

export function encodeCheckpoint(from: Omit<Checkpoint, 'stateHash' | 'bytes'>, sha256: Host['sha256']): string {
  const state = JSON.stringify(from.state)
  const { seq, hash, segment, offset } = from.position
  const hashes = { state_hash: stateHash(from.state, sha256), state_sum: sha256(state) }
  const head: Head = { v: 1, seq, commit: hash, at: from.at, segment, offset, keys: [...from.keys], ...hashes }
  const text = JSON.stringify(head)
  return `${text.slice(0, -1)}${CHECK}${sha256(text)}${STATE}${state}}\n`
}

/** Undefined when the bytes are not a whole, unaltered checkpoint of this format. */
export function decodeCheckpoint(bytes: Buffer, sha256: Host['sha256']): Checkpoint | undefined {
  // Inside a JSON string a quote is escaped, so the first match is the member itself.
  const cut = bytes.indexOf(CHECK)
  const from = cut + CHECK.length + 64
  if (cut < 0 || bytes.toString('latin1', from, from + STATE.length) !== STATE) return undefined
  const text = `${bytes.toString('utf8', 0, cut)}}`
  if (sha256(text) !== bytes.toString('latin1', cut + CHECK.length, from)) return undefined
  // `check` proves that encodeCheckpoint wrote it.
  const head = JSON.parse(text) as Head
  const state = bytes.subarray(from + STATE.length, bytes.length - 2)
  if (head.v !== 1 || sha256(state) !== head.state_sum) return undefined
  return {
    position: { seq: head.seq, hash: head.commit, segment: head.segment, offset: head.offset },
    at: head.at,
    keys: new Map(head.keys),
    stateHash: head.state_hash,
    // `state_sum` proves the same of the state.
    state: JSON.parse(state.toString('utf8')) as Tree,
    bytes: bytes.length,
  }
}
