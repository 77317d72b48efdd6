// Writes a checkpoint without fsync, then truncates the log. P3 must see acknowledged entries lost.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ foldsLogAway: true })
