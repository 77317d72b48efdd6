/*
 * The order of calls on which everything else rests, read off a trace. Each test goes red when its line is removed.
 *
 *   append       write → fdatasync of that file → acknowledgement
 *   new name     make → … → sync of its folder → acknowledgement
 *   checkpoint   write temp → sync temp → rename → sync folder
 */
import path from 'node:path'
import { expect, test } from 'vitest'
import { isLog, unnamedAtAck, unsyncedAtAck } from './rig/order.ts'
import { has, patience, scratch, subject } from './rig/plan.ts'
import { type Op, traceProgram } from './rig/trace.ts'

const ready = process.platform === 'linux' && has('strace')

function traced(store: string): readonly Op[] {
  return traceProgram('workload', store, path.join(scratch('guards'), 'store'))
}

/** Renames whose source was not synced before, or whose folder was not synced after; the last one may still be on its way. */
function looseRenames(ops: readonly Op[]): readonly string[] {
  return ops.flatMap((op, index) => {
    if (op.kind !== 'rename') return []
    const [from, to] = [op.path, op.to]
    const written = ops.findLastIndex((other, at) => at < index && other.kind === 'write' && other.path === from)
    const before = ops.some(
      (other, at) => at < index && other.kind === 'sync' && other.path === from && other.begun > written,
    )
    const after = ops.some(
      (other, at) => at > index && other.kind === 'sync' && other.path === path.dirname(to) && other.begun > index,
    )
    return [
      ...(before || written < 0 ? [] : [`${from} was renamed before it was synced`]),
      ...(after ? [] : [`the folder of ${to} was not synced after the rename`]),
    ]
  })
}

const acks = (ops: readonly Op[]): number => ops.filter((op) => op.kind === 'say' && op.word === 'ACK').length

test.skipIf(!ready)(
  'L5 every acknowledgement follows a sync of the log, of its name, and of a checkpoint around its rename',
  () => {
    const ops = traced(subject)
    expect(acks(ops)).toBeGreaterThanOrEqual(15)
    expect(unsyncedAtAck(ops)).toEqual([])
    expect(unnamedAtAck(ops)).toEqual([])
    expect(ops.filter((op) => op.kind === 'rename').length).toBeGreaterThan(0)
    expect(looseRenames(ops)).toEqual([])
    if (subject === 'product') {
      expect(
        new Set(ops.flatMap((op) => (op.kind === 'make' && isLog(op.path) ? [op.path] : []))).size,
      ).toBeGreaterThan(2)
    }
  },
  patience(30, 30),
)

test.skipIf(!ready)(
  'L5 the guards see a missing fdatasync, a missing folder sync and a loose rename',
  () => {
    expect(unsyncedAtAck(traced('no-sync')).length).toBeGreaterThan(0)
    expect(unnamedAtAck(traced('no-folder-sync')).length).toBeGreaterThan(0)
    expect(looseRenames(traced('folds-log-away')).length).toBeGreaterThan(0)
  },
  patience(30, 30),
)
