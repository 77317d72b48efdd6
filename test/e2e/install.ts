import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { remove } from '../remove.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A project of somebody else, with the packed tarball as its only dependency. */
    readonly project: string
    /** Paths inside the tarball. */
    readonly packed: readonly string[]
  }
}

const root = join(import.meta.dirname, '..', '..')
let folder = ''

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Builds, packs and installs once for all files of this project. The cache is empty, so nothing can be borrowed. */
export function setup(project: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'steadfold-e2e-'))
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: root, stdio: 'inherit' })
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const listing: unknown = JSON.parse(npm(packing, root))
  // Some versions of npm answer a list, others an object by package name.
  const [tarball] = Object.values(listing as Record<string, Packed>)
  if (!tarball) throw new Error('npm pack answered nothing')
  const home = join(folder, 'project')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'somebody', private: true, type: 'module' }))
  const offline = ['--offline', '--cache', join(folder, 'cache'), '--ignore-scripts', '--no-audit', '--no-fund']
  npm(['install', ...offline, join(folder, tarball.filename)], home)
  project.provide('project', home)
  project.provide(
    'packed',
    tarball.files.map(({ path }) => path),
  )
}

export function teardown(): void {
  remove(folder)
}

const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
