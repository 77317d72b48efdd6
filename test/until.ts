import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Shorter than a test may take, so that it is said what it waited for; longer than anything takes on a busy machine. */
const PATIENCE_MS = 100_000

/** Waits until `holds`. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${PATIENCE_MS} ms for ${String(holds)}`)
    await delay(10)
  }
}

/** What is in a file once a whole line stands there: a shell makes the file first, and writes then. */
export async function lineIn(file: string): Promise<string> {
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  await until(() => text().endsWith('\n'))
  return text().trimEnd()
}
