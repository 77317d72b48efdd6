import { Chain, START } from './chain.ts'
import { EngineError } from './error.ts'
import type { Kernel } from './kernel.ts'
import type { Encoded, Position } from './ports.ts'
import { corrupt, scanLog, type Scanned } from './replay.ts'

const LINES = 1000

/** The commits of `from` up to `last`, byte for byte, into the new session `to`. Lost races and fragments stay behind. */
export async function copyLog(kernel: Kernel, from: string, to: string, last: number): Promise<Position> {
  const chain = new Chain(START, kernel.host.sha256)
  const accepted: { readonly seq: number; readonly hash: string; readonly seal: boolean }[] = []
  let position = START
  const scanned = scanLog(kernel.log, from, chain, ({ seq, hash }, behind) => {
    accepted.push({ seq, hash, seal: behind.segment === seq + 1 })
  })
  for await (const part of scanned) {
    const lines = linesOf(part).map((line, index): Encoded => {
      const { seal, ...link } = accepted[index] ?? { seq: 0, hash: '', seal: false }
      return seal ? { ...link, line, seal } : { ...link, line }
    })
    accepted.length = 0
    position = await appendAll(
      kernel,
      to,
      lines.filter(({ seq }) => seq <= last),
      position,
    )
    if (chain.position.seq >= last) return position
  }
  if (chain.damage !== undefined) throw corrupt(from, chain.damage)
  return position
}

function linesOf({ bytes, runs }: Scanned): readonly string[] {
  return runs.flatMap(({ start, end }) => bytes.toString('utf8', start, end).split(/(?<=\n)/))
}

async function appendAll(kernel: Kernel, to: string, lines: readonly Encoded[], from: Position): Promise<Position> {
  let position = from
  for (let at = 0; at < lines.length; at += LINES) {
    const appended = await kernel.log.append(to, lines.slice(at, at + LINES), position, { durability: 'durable' })
    if (appended.kind === 'conflict') throw new EngineError('CONFLICT', `session ${to} is written to by others`)
    await appended.durable
    position = appended.position
  }
  return position
}
