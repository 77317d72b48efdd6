import path from 'node:path'
import type { Op } from './trace.ts'

export const isLog = (target: string): boolean => target.endsWith('.jsonl')

/** Log files with bytes behind their last sync, at every acknowledgement. */
export function unsyncedAtAck(ops: readonly Op[]): readonly string[] {
  const dirty = new Map<string, number>()
  const found: string[] = []
  ops.forEach((op, index) => {
    if (op.kind === 'write' && isLog(op.path)) dirty.set(op.path, index)
    if (op.kind === 'sync' && (dirty.get(op.path) ?? Infinity) < op.begun) dirty.delete(op.path)
    if (op.kind === 'say' && op.word === 'ACK')
      found.push(...[...dirty.keys()].map((file) => `${op.id}: ${file} not synced`))
  })
  return found
}

/** Files and folders on the way to a log whose name was not synced in its folder, at every acknowledgement. */
export function unnamedAtAck(ops: readonly Op[]): readonly string[] {
  const unsafe = new Map<string, number>()
  const logs = new Set<string>()
  const found: string[] = []
  ops.forEach((op, index) => {
    if (op.kind === 'make' && !unsafe.has(op.path)) unsafe.set(op.path, index)
    if ('path' in op && isLog(op.path)) logs.add(op.path)
    if (op.kind === 'sync')
      for (const [name, made] of unsafe)
        if (path.dirname(name) === op.path && made < op.begun) unsafe.set(name, Infinity)
    if (op.kind !== 'say' || op.word !== 'ACK') return
    for (const [name, made] of unsafe) {
      const leads = [...logs].some((log) => log === name || log.startsWith(`${name}/`))
      if (leads && made !== Infinity) found.push(`${op.id}: the name ${name} was not synced`)
    }
  })
  return found
}
