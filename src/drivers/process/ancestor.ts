/*
 * The program that started this one, through whatever shells and wrappers.
 *
 * T1. It is told by its name alone: what runs it is a program of that name, or an interpreter with a script of that name or of
 *     its package. Where none fits nothing is known, for a wrapper is gone at once, and would be taken for what died.
 */
import { basename } from 'node:path'
import type { ProcessRef } from '../../kernel/care/recovery.ts'
import { here, read, statOf } from './identity.ts'

const MOST_STEPS = 12
const INTERPRETERS: ReadonlySet<string> = new Set(['node', 'bun', 'deno'])

/** Undefined where none is known (T1), and where there is no /proc. */
export function ancestorCalled(name: string): ProcessRef | undefined {
  let pid = process.ppid
  for (let step = 0; step < MOST_STEPS && pid > 1; step++) {
    const stat = statOf(pid)
    if (stat === undefined) return undefined
    if (isCalled(name, (read(`/proc/${pid}/cmdline`) ?? '').split('\0')))
      return { ...here(), pid, started: stat[19] ?? '' }
    pid = Number(stat[1])
  }
  return undefined
}

/** T1 */
export function isCalled(name: string, [program = '', ...words]: readonly string[]): boolean {
  if (stemOf(program) === name) return true
  const script = INTERPRETERS.has(stemOf(program)) ? words.find((word) => !word.startsWith('-')) : undefined
  if (script === undefined) return false
  return stemOf(script) === name || new RegExp(`/node_modules/(?:@[^/]+/)?${name}(?:-code|-cli)?/`).test(script)
}

const stemOf = (file: string): string => basename(file).replace(/\.(?:exe|[cm]?js)$/, '')
