/** The exit status of what was stopped. */
export const STATUS = { SIGINT: 130, SIGTERM: 143 } as const

/** What an aborted signal of ours was aborted by. */
export const stopOf = ({ reason }: AbortSignal): keyof typeof STATUS => (reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT')

/** As if nobody had heard the signal: Node would not end before a write that nobody reads. */
export function endBy(signal: keyof typeof STATUS): never {
  // Behind all others: a screen is put back, and what was unpacked is taken away.
  process.on('exit', () => {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
  process.exit(STATUS[signal])
}
