/*
 * Writes src/drivers/host/checksums-program.ts: SHA-256 (FIPS 180-4) and XXH32 as a WebAssembly program.
 *
 * Loading Node's own hashes costs a tenth of a short command, and plain JavaScript runs too slowly before it is compiled.
 *
 * Few bytes are hashed before a command ends, so what counts is how V8 runs the program before it optimizes it, and how
 * soon it takes to that, which costs milliseconds: rotations are made of shifts, for each one that is not is a call then;
 * and loops are short.
 *
 *   memory   0 state, 8 words · 32 what came out · 64 K · 320 the state to begin with · 352 schedule · 640 lanes · 1024 bytes
 *   sha256(end)   of the blocks from 1024 to `end`, at 32, big-endian
 *   xxh32(end, before)   of the bytes from 1024 to `end`, at 32, big-endian; `before` were there in the calls just before, a
 *                        multiple of 16: what is long is hashed in pieces, since fresh memory costs more than the hashing
 */
import { writeFileSync } from 'node:fs'

const DATA = 1024
const [STATE, OUT, K, FIRST, SCHEDULE, LANES] = [0, 32, 64, 320, 352, 640]
const [I32, V128] = [0x7f, 0x7b]

function unsigned(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 0x80)
  }
}

function signed(value) {
  const bytes = []
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if ((rest >> 6n === 0n && low < 0x40) || (rest >> 6n === -1n && low >= 0x40)) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

const sized = (bytes) => [...unsigned(bytes.length), ...bytes]
const list = (items) => [...unsigned(items.length), ...items.flat()]
const section = (id, bytes) => [id, ...sized(bytes)]
const name = (text) => sized([...Buffer.from(text)])

// Expressions are lists of bytes; operands come first.
const int = (value) => [0x41, ...signed(value | 0)]
const get = (local) => [0x20, local]
const set = (local, value) => [...value, 0x21, local]
const binary =
  (code) =>
  (first, ...rest) =>
    rest.reduce((left, right) => [...left, ...right, code], first)
const memory = (code) => (at, offset) => [...at, code, 0, ...unsigned(offset)]
const store = (code) => (at, value, offset) => [...at, ...value, code, 0, ...unsigned(offset)]
const [load, loadByte] = [memory(0x28), memory(0x2d)]
const put = store(0x36)
const [add, mul, and, or, xor, shl, shr] = [0x6a, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x76].map(binary)
const rotr = (value, by) => or(shr(value, int(by)), shl(value, int(32 - by)))
/** Of four words at once (v128). */
const all = (code) => (first, second) => [...first, ...second, 0xfd, ...unsigned(code)]
const [shlAll, shrAll, addAll, mulAll, orAll] = [0xab, 0xad, 0xae, 0xb5, 0x50].map(all)
const loadAll = (at, offset) => [...at, 0xfd, 0, 0, ...unsigned(offset)]
const storeAll = (at, value, offset) => [...at, ...value, 0xfd, 0x0b, 0, ...unsigned(offset)]
const four = (...words) => [0xfd, 0x0c, ...new Uint8Array(Uint32Array.from(words).buffer)]
const splat = (word) => four(word, word, word, word)
const lane = (value, which) => [...value, 0xfd, 0x1b, which]
/** Repeats `body` while `condition` holds behind it. */
const repeat = (body, condition) => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b]
const when = (condition, body) => [...condition, 0x04, 0x40, ...body, 0x0b]
const whilst = (condition, body) => when(condition, repeat(body, condition))
const below = (first, second) => [...first, ...second, 0x49]
const step = (local, by) => set(local, add(get(local), int(by)))

/** The first 32 bits of the fractions of cube or square roots of the first primes. */
function roots(count, root) {
  const isPrime = (n) => !Array.from({ length: n - 2 }, (_, i) => i + 2).some((d) => n % d === 0)
  const primes = Array.from({ length: 400 }, (_, i) => i + 2).filter(isPrime)
  return primes.slice(0, count).map((prime) => Math.floor((root(prime) % 1) * 2 ** 32))
}

/** Turns the word on the stack around. */
function swapped(word) {
  return or(and(rotr(word, 24), int(0x00ff00ff)), and(rotr(word, 8), int(0xff00ff00)))
}

function sha256() {
  const [end, at, i, x, y] = [0, 9, 10, 11, 12]
  const words = [1, 2, 3, 4, 5, 6, 7, 8]
  const [a, b, c, d, e, f, g, h] = words.map(get)
  const choice = xor(g, and(e, xor(f, g)))
  const majority = or(and(a, b), and(c, or(a, b)))
  const round = [
    ...set(x, add(h, xor(rotr(e, 6), rotr(e, 11), rotr(e, 25)), choice, load(get(i), K), load(get(i), SCHEDULE))),
    ...set(y, add(get(x), xor(rotr(a, 2), rotr(a, 13), rotr(a, 22)), majority)),
    ...[8, 7, 6, 5, 4, 3, 2].flatMap((word) => set(word, word === 5 ? add(d, get(x)) : get(word - 1))),
    ...set(1, get(y)),
  ]
  const sigma0 = xor(rotr(get(x), 7), rotr(get(x), 18), shr(get(x), int(3)))
  const sigma1 = xor(rotr(get(y), 17), rotr(get(y), 19), shr(get(y), int(10)))
  const block = [
    ...set(i, int(0)),
    ...repeat(
      [...set(x, load(add(get(at), get(i)), 0)), ...put(get(i), swapped(get(x)), SCHEDULE), ...step(i, 4)],
      below(get(i), int(64)),
    ),
    ...set(i, int(0)),
    ...repeat(
      [
        ...set(x, load(get(i), SCHEDULE + 4)),
        ...set(y, load(get(i), SCHEDULE + 56)),
        ...put(get(i), add(load(get(i), SCHEDULE), load(get(i), SCHEDULE + 36), sigma0, sigma1), SCHEDULE + 64),
        ...step(i, 4),
      ],
      below(get(i), int(192)),
    ),
    ...words.flatMap((word) => set(word, load(int(0), STATE + 4 * (word - 1)))),
    ...set(i, int(0)),
    ...repeat([...round, ...step(i, 4)], below(get(i), int(256))),
    ...words.flatMap((word) =>
      put(int(0), add(load(int(0), STATE + 4 * (word - 1)), get(word)), STATE + 4 * (word - 1)),
    ),
    ...step(at, 64),
  ]
  const out = [...set(x, load(get(i), STATE)), ...put(get(i), swapped(get(x)), OUT), ...step(i, 4)]
  const code = [
    ...words.flatMap((word) => put(int(0), load(int(0), FIRST + 4 * (word - 1)), STATE + 4 * (word - 1))),
    ...set(at, int(DATA)),
    ...whilst(below(get(at), get(end)), block),
    ...set(i, int(0)),
    ...repeat(out, below(get(i), int(32))),
  ]
  return { locals: [[12, I32]], code }
}

const P1 = 0x9e3779b1
const P2 = 0x85ebca77
const P3 = 0xc2b2ae3d
const P4 = 0x27d4eb2f
const P5 = 0x165667b1

function xxh32() {
  const [end, before, at, h, spare, lanes, turned] = [0, 1, 2, 3, 4, 5, 6]
  const length = add(get(before), get(end), int(-DATA))
  const left = (bytes) => below(add(get(at), int(bytes - 1)), get(end))
  const rotl = (value, by) => or(shl([...value, 0x22, spare], int(by)), shr(get(spare), int(32 - by)))
  // The four lanes at once: one register is less code than four, and it is the code that V8 counts.
  const rotlAll = (value, by) => orAll(shlAll([...value, 0x22, turned], int(by)), shrAll(get(turned), int(32 - by)))
  const stripe = (k) =>
    set(lanes, mulAll(rotlAll(addAll(get(lanes), mulAll(loadAll(get(at), 16 * k), splat(P2))), 13), splat(P1)))
  const bulk = [
    ...set(lanes, four(P1 + P2, P2, 0, -P1)),
    ...when(get(before), set(lanes, loadAll(int(0), LANES))),
    ...whilst(left(64), [...stripe(0), ...stripe(1), ...stripe(2), ...stripe(3), ...step(at, 64)]),
    ...whilst(left(16), [...stripe(0), ...step(at, 16)]),
    ...storeAll(int(0), get(lanes), LANES),
    ...set(h, add(...[1, 7, 12, 18].map((by, k) => rotl(lane(get(lanes), k), by)))),
  ]
  const word = [...set(h, mul(rotl(add(get(h), mul(load(get(at), 0), int(P3))), 17), int(P4))), ...step(at, 4)]
  const byte = [...set(h, mul(rotl(add(get(h), mul(loadByte(get(at), 0), int(P5))), 11), int(P1))), ...step(at, 1)]
  const scramble = (by) => set(h, xor(get(h), shr(get(h), int(by))))
  const code = [
    ...set(at, int(DATA)),
    ...set(h, int(P5)),
    ...when(below(int(15), length), bulk),
    ...set(h, add(get(h), length)),
    ...whilst(left(4), word),
    ...whilst(left(1), byte),
    ...scramble(15),
    ...set(h, mul(get(h), int(P2))),
    ...scramble(13),
    ...set(h, mul(get(h), int(P3))),
    ...scramble(16),
    ...put(int(0), swapped(get(h)), OUT),
  ]
  return {
    locals: [
      [3, I32],
      [2, V128],
    ],
    code,
  }
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

function program() {
  const bodies = [sha256(), xxh32()].map(({ locals, code }) =>
    sized([...list(locals.map(([n, type]) => [n, type])), ...code, 0x0b]),
  )
  const constants = new Uint8Array(Uint32Array.from([...roots(64, Math.cbrt), ...roots(8, Math.sqrt)]).buffer)
  return [
    ...HEADER,
    ...section(
      1,
      list([
        [0x60, 1, I32, 0],
        [0x60, 2, I32, I32, 0],
      ]),
    ),
    ...section(3, list([[0], [1]])),
    ...section(5, list([[0, 1]])),
    ...section(
      7,
      list([
        [...name('memory'), 2, 0],
        [...name('sha256'), 0, 0],
        [...name('xxh32'), 0, 1],
      ]),
    ),
    ...section(10, list(bodies)),
    ...section(11, list([[0, ...int(K), 0x0b, ...sized([...constants])]])),
  ]
}

const text = Buffer.from(program()).toString('base64')
const lines = text.match(/.{1,112}/g).map((line) => `  '${line}'`)
writeFileSync(
  'src/drivers/host/checksums-program.ts',
  `/** Written by scripts/checksums.mjs. */\nexport const PROGRAM =\n${lines.join(' +\n')}\n`,
)
