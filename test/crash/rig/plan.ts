import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { remove } from '../../remove.ts'

/** `SOAK=1` asks for the full counts. */
export const soak = process.env['SOAK'] === '1'
export const count = (short: number, full: number): number => (soak ? full : short)
/** What any test may take on a machine that has other things to do. */
const LEAST_S = 120
/** Milliseconds a test may take. */
export const patience = (short: number, full: number): number => Math.max(LEAST_S, count(short, full)) * 1000

const here = fileURLToPath(new URL('..', import.meta.url))
export const program = (name: string): string => path.join(here, 'programs', `${name}.mjs`)
export const switchSource = path.join(here, 'power-switch.c')
export const shimSource = path.join(here, 'shim.c')
export const cli = path.join(here, '..', '..', 'dist', 'steadfold.cjs')

/** A folder that goes away when the file's tests are done. */
export function scratch(name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(path.join(parent, `steadfold-${name}-`))
  afterAll(() => remove(folder))
  return folder
}

/** Settings small enough that a few hundred commits see many segments and checkpoints. */
const smallSettings = { segmentBytes: 6000, checkpointBytes: 4000, checkpointMs: 0 }

/** Settings with which many commits follow each other in one segment: they are copied to a redo file. */
export const longSegments = {
  CRASH_SETTINGS: '{"segmentBytes":200000,"checkpointBytes":100000,"checkpointMs":0}',
} as const

/** The environment of a program: the store it works on, and no certificates to load at every start. */
export function programEnv(store: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env
  return { ...rest, CRASH_STORE: store, UV_USE_IO_URING: '0', CRASH_SETTINGS: JSON.stringify(smallSettings), ...more }
}

/** Numbers in [0, 1) that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
}

/** Whether a rig's tool is there. In CI a missing one fails the run; elsewhere it is named and the rig skipped. */
export function has(tool: string, probe: () => boolean = () => onPath(tool)): boolean {
  if (probe()) return true
  if (process.env['CI'] !== undefined) throw new Error(`${tool} is missing: this rig cannot be skipped in CI`)
  console.warn(`SKIPPED: ${tool} is missing; this promise was not checked`)
  return false
}

function onPath(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const isRoot = process.getuid?.() === 0

/** The store the rigs judge. `CRASH_SUBJECT=reference` shows them green without the product. */
export const subject = process.env['CRASH_SUBJECT'] ?? 'product'
