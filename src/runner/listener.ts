/** Who listens to a run cannot stop it: one that throws, or whose promise is rejected, is warned of and hears no more. */
import { asError } from '../kernel/error.ts'
import type { RunEvent } from '../kernel/work/runner.ts'

type Listener = (event: RunEvent) => unknown

export function listening(listener: Listener | undefined, warn: (message: string) => void): (event: RunEvent) => void {
  let hears = listener
  const end = (error: unknown) => {
    if (hears !== undefined) warn(`onEvent failed, and hears no more of this run: ${asError(error).message}`)
    hears = undefined
  }
  return (event) => {
    try {
      const heard = hears?.(event)
      if (heard instanceof Promise) heard.catch(end)
    } catch (error) {
      end(error)
    }
  }
}
