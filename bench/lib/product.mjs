/* The built product as its users meet it: the library, the binary, the shell functions. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

// BENCH_DIST measures another build with the same bench.
const dist = process.env.BENCH_DIST ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist')
export const CLI = path.join(dist, 'steadfold.cjs')
const LIBRARY = path.join(dist, 'index.js')

export const isBuilt = () => fs.existsSync(LIBRARY)
export const library = () => import(LIBRARY)

/** A workspace with one fresh session. */
export async function freshSession(dir, { settings, name = 'bench' } = {}) {
  const { openWorkspace } = await library()
  const workspace = await openWorkspace({ dir, ...(settings === undefined ? {} : { settings }) })
  const session = await workspace.createSession({ name, goal: 'measure' })
  return {
    workspace,
    session,
    close: async () => {
      await session.close()
      await workspace.close()
    },
  }
}

/** `state.set` that must be accepted: a refusal would be a fast wrong answer. */
export async function set(session, at, value, options) {
  const done = await session.run('state.set', { path: at, value }, options)
  if (done.kind !== 'accepted') throw new Error(`refused: ${done.code} ${done.message}`)
  return done
}

/**
 * Sets `values` in turn under a thousand keys. Nothing stands between the caller and `run`; `check` says afterwards
 * whether every call became a commit.
 */
export function writer(session, values) {
  const paths = values.map((_, i) => `$.data.reports.r${i}`)
  const before = session.seq
  let calls = 0
  return {
    write: () => {
      const i = calls++ % values.length
      return session.run('state.set', { path: paths[i], value: values[i] })
    },
    check: () => {
      if (session.seq - before < calls) throw new Error(`${calls} calls, but ${session.seq - before} commits`)
    },
  }
}

/** Runs `write(i)` for i in 0..n-1 with `callers` of them under way. */
export async function many(n, callers, write) {
  let next = 0
  const caller = async () => {
    while (next < n) await write(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
