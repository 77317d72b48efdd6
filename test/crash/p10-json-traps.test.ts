import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow } from './rig/files.ts'
import { patience, scratch, subject } from './rig/plan.ts'
import { runProgram } from './rig/processes.ts'

interface Found {
  readonly name: string
  readonly outcome: 'kept' | 'refused' | 'changed' | 'crashed'
  readonly detail: string
}

/** Runs the program of traps; a process that dies is a finding, too. */
function spring(store: string, env: Readonly<Record<string, string>>): readonly Found[] {
  const { status, stdout, stderr } = runProgram('traps', store, env)
  // traps.mjs writes these lines.
  const found = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Found)
  return status === 0 ? found : [...found, { name: 'the process', outcome: 'crashed', detail: stderr.slice(0, 500) }]
}

const wrong = (found: readonly Found[]): readonly Found[] =>
  found.filter(({ outcome }) => outcome === 'changed' || outcome === 'crashed')

function newStore(name: string): string {
  const dir = path.join(scratch(name), 'store')
  mkdirSync(dir)
  return dir
}

test(
  'a value that JSON would change is refused with a code; every other comes back the same, from log and checkpoint (P10)',
  () => {
    const dir = newStore('traps')
    const found = spring(subject, { DIR: dir })
    expect(found.length).toBeGreaterThanOrEqual(40)
    expect(wrong(found)).toEqual([])
    const kept = found.filter(({ outcome }) => outcome === 'kept').map(({ name }) => name)
    expect(kept.length).toBeGreaterThan(10)
    const look = (): readonly Found[] => spring(subject, { DIR: dir, MODE: 'look', KEPT: JSON.stringify(kept) })
    const checkpoint = filesBelow(dir).find((name) => name.endsWith('checkpoint.json'))
    expect(checkpoint).toBeDefined()
    expect(wrong(look())).toEqual([])
    rmSync(path.join(dir, checkpoint ?? ''))
    expect(wrong(look())).toEqual([])
    expect(look().length).toBe(kept.length)
  },
  patience(60, 60),
)

test(
  'a store that keeps whatever JSON.stringify makes of a value is caught',
  () => {
    expect(wrong(spring('any-json', { DIR: newStore('traps-bad'), LIGHT: '1' })).length).toBeGreaterThan(10)
  },
  patience(30, 30),
)
