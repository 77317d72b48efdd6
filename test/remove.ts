import fs from 'node:fs'

/** As often is a folder looked through in which somebody goes on to write, each time after a rest. */
const TIMES = 100
const REST_MS = 50

/**
 * Removes a folder in which a process that a test has left may still write.
 * `maxRetries` of Node 20 does not: it tries to remove the folder again, and not what has come into it.
 */
export function remove(folder: string): void {
  for (let i = 1; ; i++) {
    try {
      return fs.rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || i === TIMES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REST_MS)
    }
  }
}
