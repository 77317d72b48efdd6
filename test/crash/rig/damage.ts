import { createHash } from 'node:crypto'
import { lineEnds } from './files.ts'

/** Bytes in place of a log file's own, and the name of what was done to it. */
export interface Damage {
  readonly name: string
  readonly bytes: Buffer
}

export interface Torn extends Damage {
  /** How many whole lines of the file are left. */
  readonly lines: number
}

const cat = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts)
const whole = (ends: readonly number[], length: number): number => ends.filter((end) => end <= length).length

/** What a crash can leave: a tail cut at any byte of the last records, or followed by or turned into NULs. */
export function tornTails(log: Buffer, cuts: number): readonly Torn[] {
  const ends = lineEnds(log)
  const from = ends.at(-4) ?? 0
  const step = Math.max(1, Math.floor((log.length - from) / cuts))
  const lengths = Array.from({ length: Math.ceil((log.length - from) / step) }, (_, i) => from + i * step)
  // The bytes around the end of a line are where mistakes live.
  const edges = ends.slice(-3).flatMap((end) => [end - 2, end - 1, end])
  return [
    ...[...new Set([...lengths, ...edges])].map((length) => ({
      name: `cut at ${length}`,
      bytes: log.subarray(0, length),
      lines: whole(ends, length),
    })),
    ...[1, 17, 511, 4096, 70_000].map((n) => ({
      name: `${n} NULs behind`,
      bytes: cat(log, Buffer.alloc(n)),
      lines: ends.length,
    })),
    ...[2, 5, 100].map((n) => ({
      name: `last ${n} bytes NUL`,
      bytes: cat(log.subarray(0, log.length - n), Buffer.alloc(n)),
      lines: ends.length - 1,
    })),
  ]
}

/** One bit flipped somewhere before the last record. */
export function bitFlips(log: Buffer, flips: number, random: () => number): readonly Damage[] {
  const end = lineEnds(log).at(-2) ?? 0
  return Array.from({ length: flips }, () => {
    const [at, bit] = [Math.floor(random() * end), Math.floor(random() * 8)]
    const bytes = Buffer.from(log)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
    return { name: `bit ${bit} of byte ${at} flipped`, bytes }
  })
}

/** Records removed, moved or run together. */
export function edits(log: Buffer): readonly Damage[] {
  const ends = lineEnds(log)
  const k = Math.floor(ends.length / 2)
  const start = ends[k - 1] ?? 0
  const end = ends[k] ?? 0
  const next = ends[k + 1] ?? 0
  const [before, record, after] = [log.subarray(0, start), log.subarray(start, end), log.subarray(end)]
  const hole = Buffer.from(log).fill(0, start, Math.min(start + 4096, ends.at(-2) ?? 0))
  return [
    { name: 'a record removed', bytes: cat(before, after) },
    { name: 'the first record removed', bytes: log.subarray(ends[0]) },
    { name: 'two records swapped', bytes: cat(before, log.subarray(end, next), record, log.subarray(next)) },
    { name: 'a newline removed', bytes: cat(log.subarray(0, end - 1), after) },
    { name: 'a hole of NULs', bytes: hole },
    { name: 'a record forged, with a hash that fits', bytes: cat(before, forged(record), after) },
    { name: 'a value edited', bytes: Buffer.from(log.toString('latin1').replace('xxxx', 'yyyy'), 'latin1') },
  ]
}

/** Another value, and the hash made anew: only the next record's `prev` can tell. */
function forged(record: Buffer): Buffer {
  const text = record.toString('utf8')
  const body = text.slice(0, text.lastIndexOf(',"hash":"')).replace('xxxx', 'yyyy')
  const hash = createHash('sha256').update(`${body}}`).digest('hex')
  return Buffer.from(`${body},"hash":"${hash}"}\n`)
}

/** Additions that lose nothing, because the chain proves that nothing is missing; verify must mention them. */
export function additions(log: Buffer): readonly Damage[] {
  const ends = lineEnds(log)
  const [start = 0, end = 0] = ends.slice(Math.floor(ends.length / 2) - 1)
  const record = log.subarray(start, end)
  return [
    { name: 'a record repeated', bytes: cat(log.subarray(0, end), record, log.subarray(end)) },
    { name: 'a line of rubbish', bytes: cat(log.subarray(0, end), Buffer.from('not json\n'), log.subarray(end)) },
  ]
}
