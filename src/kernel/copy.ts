import { Chain, START } from './chain.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import type { Encoded, Lines, Position } from './ports.ts'
import { corrupt, scanLog, type Scanned } from './replay.ts'

const NEWLINE = 0x0a

interface Found {
  readonly seq: number
  readonly hash: string
  readonly seal: boolean
}

/** The commits of `from` up to `last`, byte for byte, into the new session `to`. Lost races and fragments stay behind. */
export async function copyLog(kernel: Kernel, from: string, to: string, last: number): Promise<Position> {
  const chain = new Chain(START, kernel.host.sha256)
  let found: Found[] = []
  let position = START
  const scanned = scanLog(kernel.log, from, chain, ({ seq, hash }, behind) => {
    found.push({ seq, hash, seal: behind.segment === seq + 1 })
  })
  for await (const part of scanned) {
    for (const batch of batchesOf(part, found, last)) position = await appendTo(kernel, to, batch, position)
    if (chain.position.seq >= last) return position
    found = []
  }
  if (chain.damage !== undefined) throw corrupt(from, chain.damage)
  return position
}

/** Each run of accepted lines as it stands, up to `last`. */
function* batchesOf({ bytes, runs }: Scanned, found: readonly Found[], last: number): Generator<Lines> {
  let next = 0
  for (const { start, end, count } of runs) {
    const run = bytes.subarray(start, end)
    const lines: Encoded[] = []
    for (const line of found.slice(next, next + count))
      if (line.seq <= last) lines.push({ ...line, end: run.indexOf(NEWLINE, lines.at(-1)?.end) + 1 })
    next += count
    if (lines.length > 0) yield { lines, bytes: run.subarray(0, lines.at(-1)?.end) }
  }
}

async function appendTo(kernel: Kernel, to: string, batch: Lines, after: Position): Promise<Position> {
  const appended = await kernel.log.append(to, batch, after, { durability: 'durable' })
  if (appended.kind === 'conflict') throw new EngineError('CONFLICT', `session ${to} is written to by others`)
  await appended.durable
  return appended.position
}
