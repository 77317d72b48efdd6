/*
 * Hooks for a Node that does not read TypeScript itself (before 22.18): types are taken out, nothing is checked.
 * Node loads this program into the process that loads a workflow module; see workflow-file.ts.
 */
import { readFileSync } from 'node:fs'
import type { LoadHook } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transform } from 'sucrase'

const TYPESCRIPT = /\.[cm]?ts$/

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !TYPESCRIPT.test(url)) return next(url, context)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: false })
  return { format: url.endsWith('.cts') ? 'commonjs' : 'module', source: code, shortCircuit: true }
}
