/*
 * What makes the hot programs start fast.
 *
 * H1  Modules of Node are used as they are: the copies that a bundler makes of them cost more than the commands.
 * H2  hot.cjs is shipped with V8's own compiled form of it, for the Node that built it. Both begin with the same mark; any
 *     other Node, or a file that was changed, compiles the source as always.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'

const COPIED = /__toESM\(require\(("node:[a-z_/]+")\)(?:, 1)?\)/g

/** H1: the text of an unminified CommonJS program, made small. */
export async function sharpened(text, target) {
  const { code } = await transform(text.replaceAll(COPIED, 'require($1)'), { minify: true, format: 'cjs', target })
  return code
}

/** H2: the mark. */
export const marked = (text) => `//${createHash('sha256').update(text).digest('hex').slice(0, 16)}\n${text}`

export const cacheName = () => `hot-${process.versions.v8}-${process.platform}-${process.arch}.cache`

/** H2: compiled while it does what it will do most, so that the functions it needs are in it. */
export function compiled(dist) {
  const workspace = mkdtempSync(join(tmpdir(), 'steadfold-build-'))
  try {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/hot-cache.cjs', dist, workspace], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`hot.cjs cannot be compiled ahead: ${stderr}`)
    return readFileSync(join(workspace, 'cache'))
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}
