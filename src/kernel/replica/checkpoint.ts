/*
 * State at a sequence number, with its hash: a cache that may always be deleted.
 *
 *   {"v":1,"seq":…,"commit":"<hash of that commit>","at":…,"segment":…,"offset":…,"keys":[[key,seq],…],"shape":…,
 *    "parts":…,"state_hash":"<sha-256>","state_sum":"<sha-256>","check":"<sha-256>","state":{…},"sum":"<xxh32>"}
 *
 * K1. `state` keeps the order of members, so that a value reads the same with and without a checkpoint; `state_sum` is
 *     the hash of its bytes as they stand, `state_hash` that of its canonical form (RFC 8785).
 * K2. `check` is the hash of everything before it, closed by a brace; `check` and `state_sum` are checked before a byte is
 *     believed, or `sum`, over everything before it, which tells damage as well and costs a short command less. It is left
 *     out where the host has none, and of large states.
 *     `parts` says where in a state of middling size what begins, see parts.ts.
 * K3. It is made of durable commits only: a checkpoint ahead of its log proves that the log lost its tail.
 * K4. `shape` names the code that folded: what another build made of the same commits may have another form, so it is
 *     made anew.
 */
import { canonicalPieces, jsonPieces } from '../json/pieces.ts'
import type { Host, Position } from '../ports.ts'
import type { Tree } from '../state/module.ts'
import { fromParts, partOf, type Part } from './parts.ts'

export interface Checkpoint {
  readonly position: Position
  readonly at: string
  /** Of a reader in parts, parsed when they are asked for. */
  readonly keys: () => ReadonlyMap<string, number>
  /** K4 */
  readonly shape: string
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
  readonly shape?: string
  readonly parts?: Part
  readonly state_hash: string
  readonly state_sum: string
}

export interface Reading {
  /** Parse large members of the state when they are looked at. */
  readonly inParts?: boolean
}

const CHECK = ',"check":"'
const KEYS = ',"keys":['
const KEYS_END = '],"shape":"'
const STATE = '","state":'
const SUM = ',"sum":"'
const END = '"}\n'
/** In UTF-16 units. */
const MOST_IN_PARTS = 1024 * 1024
/** In bytes; with a larger one no command is short. */
const MOST_SUMMED = 4 * MOST_IN_PARTS
const UNSUMMED_END = '}\n'
const SUM_MEMBER = SUM.length + 8 + END.length

export const stateHash = (state: Readonly<Tree>, digest: Host['digest']): string => digest(canonicalPieces(state))

type Hashes = Pick<Host, 'sha256' | 'sum'>

/** In pieces, one behind the other. */
export function encodeCheckpoint(
  from: Omit<Checkpoint, 'stateHash' | 'bytes'>,
  { sha256, digest, sum }: Hashes & Pick<Host, 'digest'>,
): readonly Uint8Array[] {
  let units = 0
  const state = Array.from(jsonPieces(from.state), (piece) => {
    units += piece.length
    return Buffer.from(piece)
  })
  const { seq, hash, segment, offset } = from.position
  const hashes = { state_hash: stateHash(from.state, digest), state_sum: digest(state) }
  const parts = sum !== undefined && units <= MOST_IN_PARTS ? partOf(from.state) : undefined
  const place = { v: 1, seq, commit: hash, at: from.at, segment, offset, keys: [...from.keys()], shape: from.shape }
  const head: Head = { ...place, ...(parts === undefined ? {} : { parts }), ...hashes }
  const text = JSON.stringify(head)
  const begin = Buffer.from(`${text.slice(0, -1)}${CHECK}${sha256(text)}${STATE}`)
  const whole = [begin, ...state]
  const quick = lengthOf(whole) <= MOST_SUMMED ? sum?.(Buffer.concat(whole)) : undefined
  return [...whole, Buffer.from(quick === undefined ? UNSUMMED_END : `${SUM}${quick}${END}`)]
}

export const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((all, { length }) => all + length, 0)

/** Undefined when the bytes are not a whole, unaltered checkpoint of this format. Without `sum`, both hashes are checked. */
export function decodeCheckpoint(
  bytes: Buffer,
  { sha256, sum }: Hashes,
  { inParts = false }: Reading = {},
): Checkpoint | undefined {
  // Inside a JSON string a quote is escaped, so the first match is the member itself.
  const cut = bytes.indexOf(CHECK)
  const from = cut + CHECK.length + 64
  if (cut < 0 || bytes.toString('latin1', from, from + STATE.length) !== STATE) return undefined
  const text = `${bytes.toString('utf8', 0, cut)}}`
  const stated = statedSum(bytes)
  if (stated === undefined && bytes.toString('latin1', bytes.length - UNSUMMED_END.length) !== UNSUMMED_END)
    return undefined
  const end = bytes.length - (stated === undefined ? UNSUMMED_END.length : SUM_MEMBER)
  const state = bytes.subarray(from + STATE.length, end)
  const found = stated === undefined ? undefined : sum?.(bytes.subarray(0, end))
  const isWhole =
    found === undefined
      ? hashesCheck(text, bytes.toString('latin1', cut + CHECK.length, from), state, sha256)
      : found === stated
  return isWhole ? checkpointOf(text, state, bytes.length, inParts) : undefined
}

function hashesCheck(text: string, check: string, state: Buffer, sha256: Host['sha256']): boolean {
  // `check` proves that encodeCheckpoint wrote it.
  return sha256(text) === check && sha256(state) === (JSON.parse(text) as Head).state_sum
}

/** K2: both were proven to be what encodeCheckpoint wrote. */
function checkpointOf(text: string, state: Buffer, bytes: number, inParts: boolean): Checkpoint | undefined {
  const { head, keys } = inParts ? headWithout(text) : headWith(text)
  if (head.v !== 1) return undefined
  const whole = inParts && head.parts !== undefined ? fromParts(state, head.parts) : JSON.parse(state.toString('utf8'))
  return {
    position: { seq: head.seq, hash: head.commit, segment: head.segment, offset: head.offset },
    at: head.at,
    keys,
    shape: head.shape ?? '',
    stateHash: head.state_hash,
    state: whole as Tree,
    bytes,
  }
}

function headWith(text: string): { readonly head: Head; readonly keys: Checkpoint['keys'] } {
  const head = JSON.parse(text) as Head
  const keys = new Map(head.keys)
  return { head, keys: () => keys }
}

/** The keys of a long session are most of the head, and few commands ask for one. */
function headWithout(text: string): ReturnType<typeof headWith> {
  const from = text.indexOf(KEYS) + KEYS.length
  // Inside a string both quotes would be escaped.
  const to = text.indexOf(KEYS_END, from - 1)
  if (from < KEYS.length || to < from) return headWith(text)
  return {
    head: JSON.parse(text.slice(0, from) + text.slice(to)) as Head,
    keys: () => new Map(JSON.parse(text.slice(from - 1, to + 1)) as Head['keys']),
  }
}

function statedSum(bytes: Buffer): string | undefined {
  const member = bytes.toString('latin1', bytes.length - SUM_MEMBER)
  return member.startsWith(SUM) && member.endsWith(END) ? member.slice(SUM.length, -END.length) : undefined
}
