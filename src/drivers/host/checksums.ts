/*
 * Hashes for programs that end soon: loading `node:crypto` takes a tenth of a short command.
 *
 * Q1. What is hashed here comes out as `node:crypto` has it; where WebAssembly is missing, nothing comes out.
 */
import { PROGRAM } from './checksums-program.ts'

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  /** Of what stands in memory from DATA to `end`, padded. */
  readonly sha256: (end: number) => void
  /** Of what stands there, behind the `before` bytes of the calls just before: a multiple of 16. */
  readonly xxh32: (end: number, before: number) => void
}

/** The types of Node leave it out. */
interface Compiler {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

// As scripts/checksums.mjs lays them out.
const OUT = 32
const DATA = 1024
const PAGE = 65_536
const PIECE = PAGE - DATA
const BLOCK = 64
const LENGTH = 8
/** More is better left to programs that are compiled for this machine. */
const MOST = 4 * 1024 * 1024

interface Program {
  readonly exports: Exports
  memory: Buffer
}

let program: Program | undefined
let isMissing = false

/** Lower-case hex; undefined where it cannot be had (Q1). */
export function sha256(bytes: Uint8Array | string): string | undefined {
  const loaded = room(bytes)
  if (loaded === undefined) return undefined
  const { exports, memory } = loaded
  const end = DATA + place(memory, bytes)
  const padded = Math.ceil((end - DATA + 1 + LENGTH) / BLOCK) * BLOCK + DATA
  // By hand: the methods of Buffer are compiled when they are first called, which takes longer than this.
  for (let at = end; at < padded; at++) memory[at] = 0
  memory[end] = 0x80
  const bits = (end - DATA) * 8
  for (let at = padded - 1, rest = bits; rest > 0; at--, rest >>>= 8) memory[at] = rest
  exports.sha256(padded)
  return memory.toString('hex', OUT, OUT + 32)
}

/** XXH32, 8 digits; undefined where it cannot be had (Q1). */
export function xxh32(bytes: Uint8Array | string): string | undefined {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const loaded = all.length > MOST ? undefined : load()
  if (loaded === undefined) return undefined
  const { exports, memory } = loaded
  // Piece by piece in memory that is there: fresh memory costs more than the hashing.
  let from = 0
  do {
    const piece = all.subarray(from, from + PIECE)
    memory.set(piece, DATA)
    exports.xxh32(DATA + piece.length, from)
    from += PIECE
  } while (from < all.length)
  return memory.toString('hex', OUT, OUT + 4)
}

function place(memory: Buffer, bytes: Uint8Array | string): number {
  if (typeof bytes === 'string') return memory.write(bytes, DATA)
  memory.set(bytes, DATA)
  return bytes.length
}

/** With memory for `bytes`; UTF-8 has at most three for a unit of text. */
function room(bytes: Uint8Array | string): Program | undefined {
  const size = typeof bytes === 'string' ? 3 * bytes.length : bytes.length
  if (size > MOST) return undefined
  const loaded = load()
  if (loaded === undefined) return undefined
  const missing = DATA + size + 2 * BLOCK - loaded.memory.length
  if (missing > 0) {
    const { memory } = loaded.exports
    memory.grow(Math.ceil(missing / PAGE))
    loaded.memory = Buffer.from(memory.buffer)
  }
  return loaded
}

function load(): Program | undefined {
  if (program !== undefined || isMissing) return program
  try {
    const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly') as Compiler
    // The program's exports are what scripts/checksums.mjs names.
    const exports = new Instance(new Module(Buffer.from(PROGRAM, 'base64'))).exports as Exports
    program = { exports, memory: Buffer.from(exports.memory.buffer) }
  } catch {
    isMissing = true
  }
  return program
}
