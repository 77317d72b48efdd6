/** The exit status of what was stopped. */
export const STATUS = { SIGINT: 130, SIGTERM: 143 } as const

/** What an aborted signal of ours was aborted by. */
export const stopOf = ({ reason }: AbortSignal): keyof typeof STATUS => (reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT')

let writing = 0

/** A write that somebody may never read: Node would not end before it. */
export async function underWay<T>(write: Promise<T>): Promise<T> {
  writing++
  try {
    return await write
  } finally {
    writing--
  }
}

/** With the status of what was stopped; while a write is under way the system does it, as if nobody had heard the signal. */
export function endBy(signal: keyof typeof STATUS): never {
  // Behind all others: a screen is put back, and what was unpacked is taken away.
  process.on('exit', () => {
    if (writing === 0) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
  process.exit(STATUS[signal])
}
