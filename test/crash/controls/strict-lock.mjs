// Waits for whoever holds its lock, for ever. P8 must see the others stand still.
import { makeStore } from './reference-store.mjs'

export const { open, verify } = makeStore({ lock: 'strict' })
