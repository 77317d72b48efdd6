/** What waits under `signal`; undefined where that ended it. */
export async function unlessStopped<Value>(signal: AbortSignal, waiting: Promise<Value>): Promise<Value | undefined> {
  try {
    return await waiting
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
