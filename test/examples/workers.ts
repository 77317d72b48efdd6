import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REVIEW = fileURLToPath(new URL('../../examples/review/', import.meta.url))
export const RESEARCH = ['structure', 'dependencies', 'todo', 'tests'] as const
export const CHECKS = ['form', 'citations', 'numbers'] as const

const SECTIONS = ['structure', 'dependencies', 'tests', 'markers', 'dead-code', 'hotspots', 'limits', 'summary']

/** All workers in the order of review.workflow.yaml. */
export const ALL: readonly (readonly string[])[] = [
  ...RESEARCH.map((name) => [name]),
  ['plan'],
  ...SECTIONS.map((name) => ['section', name]),
  ['draft'],
  ...CHECKS.map((name) => ['check', name]),
  ['document'],
]

export interface Answer {
  readonly exit: number | null
  readonly stderr: string
}

export interface Places {
  readonly input: string
  readonly out: string
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

/** Runs one worker as the runner would: a process of its own, told its folders by the environment. */
export function runWorker([name, ...args]: readonly string[], { input, out, env, uid }: Places): Answer {
  const done = spawnSync(process.execPath, [join(REVIEW, `${name}.mjs`), ...args], {
    env: { PATH: process.env['PATH'], REVIEW_INPUT: input, REVIEW_OUT: out, ...env },
    encoding: 'utf8',
    cwd: out,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  return { exit: done.status, stderr: done.stderr }
}

/** Runs the whole review; answers the first failure, if there is one. */
export function runReview(places: Places): string | undefined {
  for (const worker of ALL) {
    const { exit, stderr } = runWorker(worker, places)
    if (exit !== 0) return `${worker.join(' ')}: exit ${exit}: ${stderr}`
  }
  return undefined
}

export function writeTree(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  mkdirSync(root, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Every file below a folder with its bytes, to compare two runs. */
export function bytesBelow(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) found[path.slice(root.length + 1)] = readFileSync(path, 'latin1')
  }
  return found
}

// The reports are JSON of the example's own; the tests below say what they expect of them.
export type Json = { readonly [key: string]: any } // oxlint-disable-line typescript/no-explicit-any -- what a worker wrote, asked for by name

export const readReport = (out: string, name: string): Json =>
  JSON.parse(readFileSync(join(out, '.review', `${name}.json`), 'utf8'))
